// What `error.stack` is once a module was loaded whose columns V8 does not know, since lowering its TypeScript put more
// on a line than was there: the text that V8 makes itself, with the columns that are in the file.
'use strict';

const {
  Error, ErrorPrototypeToString, ObjectDefineProperty, ReflectApply, RegExpPrototypeExec, StringPrototypeLastIndexOf,
  StringPrototypeSlice,
} = internal.primordials;

const { sourceColumn } = native;

const evalPlace = / \((\/.*?):(\d+):(\d+)\)/;

// As V8 does: an error whose `message` or `toString` throws has a stack all the same.
function headOf(error) {
  try {
    return ErrorPrototypeToString(error);
  } catch (thrown) {
    try {
      return `<error: ${ErrorPrototypeToString(thrown)}>`;
    } catch {
      return '<error>';
    }
  }
}

const defineMethod = (site, name, value) => {
  ObjectDefineProperty(site, name, {
    __proto__: null,
    value() {
      return value;
    },
  });
};

// movedOrigin(origin): where an eval was called, 'eval at f (/path/file.tsx:3:20)'; of an eval's eval, the outermost.
function movedOrigin(origin) {
  const match = RegExpPrototypeExec(evalPlace, origin);
  if (match === null) return origin;
  const at = match.index + match[0].length - 1 - match[3].length;
  const moved = sourceColumn(match[1], +match[2], +match[3]);
  return `${StringPrototypeSlice(origin, 0, at)}${moved}${StringPrototypeSlice(origin, at + match[3].length)}`;
}

// replaceLast(text, part, other): TEXT with OTHER in the place of the last PART.
function replaceLast(text, part, other) {
  const at = StringPrototypeLastIndexOf(text, part);
  if (at === -1) return text;
  return `${StringPrototypeSlice(text, 0, at)}${other}${StringPrototypeSlice(text, at + part.length)}`;
}

// hide(site, name, value, from, to): its method NAME says VALUE from now on, and its text has TO for FROM. Methods of
// call sites can be replaced on their prototype by nobody, but hidden by a site's own.
function hide(site, name, value, from, to) {
  const text = replaceLast(site.toString(), from, to);
  defineMethod(site, name, value);
  defineMethod(site, 'toString', text);
}

function moveColumn(site) {
  const origin = site.isEval() ? site.getEvalOrigin() : undefined;
  if (typeof origin === 'string') {
    const moved = movedOrigin(origin);
    if (moved !== origin) hide(site, 'getEvalOrigin', moved, origin, moved);
    return;
  }
  const path = site.getFileName();
  const line = site.getLineNumber();
  const column = site.getColumnNumber();
  if (typeof path !== 'string' || line === null || column === null) return;
  const moved = sourceColumn(path, line, column);
  if (moved !== column) hide(site, 'getColumnNumber', moved, `:${line}:${column}`, `:${line}:${moved}`);
}

internal.formatStack = (error, sites) => {
  for (let i = 0; i < sites.length; i++) moveColumn(sites[i]);
  const prepare = Error.prepareStackTrace;
  if (typeof prepare === 'function') return ReflectApply(prepare, Error, [error, sites]);
  let text = headOf(error);
  for (let i = 0; i < sites.length; i++) text += `\n    at ${sites[i].toString()}`;
  return text;
};
