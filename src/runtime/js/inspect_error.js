// Errors as text: for `inspect`, and for the report of an uncaught one.
'use strict';

internal.load('inspect');

const {
  ArrayIsArray, ArrayPrototypeIncludes, ArrayPrototypeIndexOf, ArrayPrototypeJoin, ArrayPrototypePush,
  ArrayPrototypeSplice, Error, ErrorPrototypeToString, ReflectHas, RegExpPrototypeExec, String, StringPrototypeEndsWith,
  StringPrototypeIncludes, StringPrototypeIndexOf, StringPrototypeRepeat, StringPrototypeReplaceAll,
  StringPrototypeSlice, StringPrototypeSplit, StringPrototypeStartsWith,
} = internal.primordials;
const { prefixOf } = internal.inspectText;

// Frames shared with the cause's stack are cut from this many on.
const SHARED_FRAMES_FROM = 4;

const headName = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/;
const headNameOnly = /^([a-z_A-Z0-9-]*Error)$/;

const stackOf = (error) => (error.stack ? String(error.stack) : ErrorPrototypeToString(error));

// hideRepeated: `name`, `message` and `stack` set as properties are not listed again when the stack contains them.
function hideRepeated(ctx, error, keys, stack) {
  if (ctx.showHidden) return;
  const names = ['name', 'message', 'stack'];
  for (let i = 0; i < names.length && keys.length > 0; i++) {
    const index = ArrayPrototypeIndexOf(keys, names[i]);
    if (index !== -1 && StringPrototypeIncludes(stack, String(error[names[i]]))) ArrayPrototypeSplice(keys, index, 1);
  }
}

// nameHead(stack, constructor, name, tag): puts the class into a stack whose first line names a parent class.
function nameHead(stack, constructor, name, tag) {
  const next = stack[name.length];
  const isPlain = StringPrototypeEndsWith(name, 'Error') && StringPrototypeStartsWith(stack, name) &&
    (next === undefined || next === ':' || next === '\n');
  if (constructor !== null && !isPlain) return stack;
  let fallback = 'Error';
  let length = name.length;
  if (constructor === null) {
    const found = RegExpPrototypeExec(headName, stack) ?? RegExpPrototypeExec(headNameOnly, stack);
    fallback = found?.[1] ?? '';
    length = fallback.length;
    fallback ||= 'Error';
  }
  const prefix = StringPrototypeSlice(prefixOf(constructor, tag, fallback), 0, -1);
  if (name === prefix) return stack;
  const rest = StringPrototypeSlice(stack, length);
  if (!StringPrototypeIncludes(prefix, name)) return `${prefix} [${name}]${rest}`;
  return length === 0 ? `${prefix}: ${stack}` : prefix + rest;
}

// cutShared(ctx, frames, error): the run of frames that the cause's stack has too becomes one remark.
function cutShared(ctx, frames, error) {
  let cause;
  try {
    ({ cause } = error);
  } catch {
    return;
  }
  if (!isError(cause)) return;
  const stack = stackOf(cause);
  const start = StringPrototypeIndexOf(stack, '\n    at');
  if (start === -1) return;
  const theirs = StringPrototypeSplit(StringPrototypeSlice(stack, start + 1), '\n');
  for (let i = 0; i < frames.length - SHARED_FRAMES_FROM + 1; i++) {
    const at = ArrayPrototypeIndexOf(theirs, frames[i]);
    if (at === -1 || theirs.length - at < SHARED_FRAMES_FROM) continue;
    let run = 1;
    const longest = theirs.length - at < frames.length - i ? theirs.length - at : frames.length - i;
    while (run < longest && frames[i + run] === theirs[at + run]) run++;
    if (run < SHARED_FRAMES_FROM) continue;
    const text = `    ... ${run - 2} lines matching cause stack trace ...`;
    ArrayPrototypeSplice(frames, i + 1, run - 2, ctx.style(text, 'undefined'));
    return;
  }
}

function isError(value) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return native.typeTag(value) === 'Error' || value instanceof Error;
  } catch {
    return false;
  }
}

// errorBase(ctx, error, constructor, tag, keys): what stands before the braces; removes from keys what it has shown and
// adds the hidden `cause` and `errors`.
internal.errorBase = (ctx, error, constructor, tag, keys) => {
  const name = error.name != null ? String(error.name) : 'Error';
  let stack = stackOf(error);
  hideRepeated(ctx, error, keys, stack);
  if (ReflectHas(error, 'cause') && !ArrayPrototypeIncludes(keys, 'cause')) ArrayPrototypePush(keys, 'cause');
  if (ArrayIsArray(error.errors) && !ArrayPrototypeIncludes(keys, 'errors')) ArrayPrototypePush(keys, 'errors');
  stack = nameHead(stack, constructor, name, tag);

  // The message may itself look like a stack: frames are looked for after it.
  let after = error.message ? StringPrototypeIndexOf(stack, error.message) : -1;
  if (after !== -1) after += error.message.length;
  const start = StringPrototypeIndexOf(stack, '\n    at', after);
  if (start === -1) {
    stack = `[${stack}]`;
  } else {
    const frames = StringPrototypeSplit(StringPrototypeSlice(stack, start + 1), '\n');
    cutShared(ctx, frames, error);
    for (let i = 0; ctx.colors && i < frames.length; i++) {
      if (StringPrototypeIncludes(frames[i], 'fino:')) frames[i] = ctx.style(frames[i], 'internal');
    }
    stack = `${StringPrototypeSlice(stack, 0, start)}\n${ArrayPrototypeJoin(frames, '\n')}`;
  }
  if (ctx.indentation === 0) return stack;
  return StringPrototypeReplaceAll(stack, '\n', `\n${StringPrototypeRepeat(' ', ctx.indentation)}`);
};

// formatError(error): the report of an uncaught error, whatever was thrown; never throws itself.
internal.formatError = (error) => {
  try {
    const text = internal.inspect(error);
    return isError(error) ? text : `Uncaught ${text}`;
  } catch {
    return 'Uncaught error (which threw again while it was described)';
  }
};
