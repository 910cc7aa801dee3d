// What `inspect` shows of each kind of object: its prefix and braces, and the entries that are not properties.
//
// formOf() returns the whole text for objects that need no braces (an empty array, a function without properties), else
// a form: { base, braces, keys, isArray, contents, constructor, tag }, where contents(ctx, value, depth, form) lists
// the entries that come before the properties `keys`. It runs before the depth limit is looked at: what is short enough
// is shown at any depth.
'use strict';

const {
  ArrayPrototypePush, ArrayPrototypeSort, ArrayPrototypeSplice, ArrayPrototypeUnshift, BigIntPrototypeValueOf,
  BooleanPrototypeValueOf, DatePrototypeGetTime, DatePrototypeToISOString, DatePrototypeToString, Error, Function,
  FunctionPrototypeToString, MapPrototypeForEach, MapPrototypeGetSize, MathMax, MathMin, NumberPrototypeToString,
  NumberPrototypeValueOf, ObjectGetPrototypeOf, ObjectHasOwn, ObjectKeys, Promise, RegExp, RegExpPrototypeExec,
  RegExpPrototypeToString, SetPrototypeForEach, SetPrototypeGetSize, StringPrototypeEndsWith, StringPrototypeIncludes,
  StringPrototypeLastIndexOf, StringPrototypePadStart, StringPrototypeSlice, StringPrototypeStartsWith,
  StringPrototypeToLowerCase, StringPrototypeValueOf, SymbolPrototypeValueOf, TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetByteLength, TypedArrayPrototypeGetByteOffset, TypedArrayPrototypeGetLength,
  TypedArrayPrototypeGetSymbolToStringTag, Uint8Array, WeakMap, WeakSet,
} = internal.primordials;
const { formatPrimitive, moreItems, numberText, plain, prefixOf } = internal.inspectText;
const { joinEntries } = internal.inspectLayout;
const { ELEMENT, OBJECT, fallbackName, formatProperty, formatValue, keysOf } = internal.inspectWalk;
const { getOwnNonIndexProperties, getPromiseDetails, previewEntries } = native;

const arrayIndex = /^(0|[1-9][0-9]*)$/;

function limitOf(ctx, length) {
  return MathMin(MathMax(0, ctx.maxArrayLength), length);
}

// --- contents --------------------------------------------------------------------------------------------------------

function arrayContents(ctx, value, depth) {
  const { length } = value;
  const limit = limitOf(ctx, length);
  const entries = [];
  for (let i = 0; i < limit; i++) {
    if (!ObjectHasOwn(value, i)) return sparseContents(ctx, value, depth, limit, entries, i);
    ArrayPrototypePush(entries, formatProperty(ctx, value, depth, i, ELEMENT));
  }
  if (length > limit) ArrayPrototypePush(entries, moreItems(length - limit));
  return entries;
}

// sparseContents: goes on from the first hole by key, so that an array of length 2^32-1 costs nothing. A run of holes
// is one entry.
function sparseContents(ctx, value, depth, limit, entries, index) {
  const keys = ObjectKeys(value);
  const holes = (count) => ctx.style(`<${count} empty item${count > 1 ? 's' : ''}>`, 'undefined');
  for (let i = index; i < keys.length && entries.length < limit; i++) {
    const key = keys[i];
    if (key !== `${index}`) {
      if (RegExpPrototypeExec(arrayIndex, key) === null) break;
      ArrayPrototypePush(entries, holes(key - index));
      index = +key;
      if (entries.length === limit) break;
    }
    ArrayPrototypePush(entries, formatProperty(ctx, value, depth, key, ELEMENT));
    index++;
  }
  const rest = value.length - index;
  if (rest > 0) ArrayPrototypePush(entries, entries.length === limit ? moreItems(rest) : holes(rest));
  return entries;
}

function typedArrayContents(ctx, value, depth) {
  const length = TypedArrayPrototypeGetLength(value);
  const limit = limitOf(ctx, length);
  const entries = [];
  for (let i = 0; i < limit; i++) ArrayPrototypePush(entries, formatPrimitive(ctx, value[i], ctx.style));
  if (length > limit) ArrayPrototypePush(entries, moreItems(length - limit));
  if (ctx.showHidden) {
    const byteLength = TypedArrayPrototypeGetByteLength(value);
    const hidden = {
      __proto__: null,
      BYTES_PER_ELEMENT: length === 0 ? value.BYTES_PER_ELEMENT : byteLength / length,
      length,
      byteLength,
      byteOffset: TypedArrayPrototypeGetByteOffset(value),
      buffer: TypedArrayPrototypeGetBuffer(value),
    };
    const names = ObjectKeys(hidden);
    ctx.indentation += 2;
    for (let i = 0; i < names.length; i++) {
      ArrayPrototypePush(entries, `[${names[i]}]: ${formatValue(ctx, hidden[names[i]], depth, true)}`);
    }
    ctx.indentation -= 2;
  }
  return entries;
}

function setContents(ctx, value, depth) {
  const limit = limitOf(ctx, SetPrototypeGetSize(value));
  const entries = [];
  ctx.indentation += 2;
  let seen = 0;
  SetPrototypeForEach(value, (item) => {
    if (seen++ < limit) ArrayPrototypePush(entries, formatValue(ctx, item, depth, false));
  });
  if (seen > limit) ArrayPrototypePush(entries, moreItems(seen - limit));
  ctx.indentation -= 2;
  return entries;
}

function mapContents(ctx, value, depth) {
  const limit = limitOf(ctx, MapPrototypeGetSize(value));
  const entries = [];
  ctx.indentation += 2;
  let seen = 0;
  MapPrototypeForEach(value, (item, key) => {
    if (seen++ >= limit) return;
    const left = formatValue(ctx, key, depth, false);
    ArrayPrototypePush(entries, `${left} => ${formatValue(ctx, item, depth, false)}`);
  });
  if (seen > limit) ArrayPrototypePush(entries, moreItems(seen - limit));
  ctx.indentation -= 2;
  return entries;
}

// listContents, pairContents: what iterators and (with showHidden) weak collections hold.
function listContents(ctx, items, depth, isWeak) {
  const limit = limitOf(ctx, items.length);
  const entries = [];
  ctx.indentation += 2;
  for (let i = 0; i < limit; i++) ArrayPrototypePush(entries, formatValue(ctx, items[i], depth, false));
  ctx.indentation -= 2;
  if (isWeak && !ctx.sorted) ArrayPrototypeSort(entries);
  if (items.length > limit) ArrayPrototypePush(entries, moreItems(items.length - limit));
  return entries;
}

function pairContents(ctx, items, depth, isWeak) {
  const count = items.length / 2;
  const limit = limitOf(ctx, count);
  const entries = [];
  ctx.indentation += 2;
  for (let i = 0; i < limit; i++) {
    const key = formatValue(ctx, items[i * 2], depth, false);
    const item = formatValue(ctx, items[i * 2 + 1], depth, false);
    const pair = isWeak ? `${key} => ${item}` : joinEntries(ctx, [key, item], '', ['[', ']'], true, depth);
    ArrayPrototypePush(entries, pair);
  }
  ctx.indentation -= 2;
  if (isWeak && !ctx.sorted) ArrayPrototypeSort(entries);
  if (count > limit) ArrayPrototypePush(entries, moreItems(count - limit));
  return entries;
}

function iteratorContents(ctx, value, depth, form) {
  const preview = previewEntries(value);
  if (!preview[1]) return listContents(ctx, preview[0], depth, false);
  const name = StringPrototypeSlice(form.braces[0], 0, StringPrototypeLastIndexOf(form.braces[0], ' Iterator] {'));
  form.braces[0] = `${name} Entries] {`;
  return pairContents(ctx, preview[0], depth, false);
}

function weakContents(ctx, value, depth, form) {
  if (!ctx.showHidden) return [ctx.style('<items unknown>', 'special')];
  const items = previewEntries(value)[0];
  return form.isWeakMap ? pairContents(ctx, items, depth, true) : listContents(ctx, items, depth, true);
}

function promiseContents(ctx, value, depth) {
  const details = getPromiseDetails(value);
  if (details[0] === 0) return [ctx.style('<pending>', 'special')];
  ctx.indentation += 2;
  const text = formatValue(ctx, details[1], depth, false);
  ctx.indentation -= 2;
  return [details[0] === 2 ? `${ctx.style('<rejected>', 'special')} ${text}` : text];
}

function bufferContents(ctx, value) {
  let bytes;
  try {
    bytes = new Uint8Array(value);
  } catch {
    return [ctx.style('(detached)', 'special')];
  }
  const length = TypedArrayPrototypeGetLength(bytes);
  const limit = limitOf(ctx, length);
  let text = '';
  for (let i = 0; i < limit; i++) {
    text += (i === 0 ? '' : ' ') + StringPrototypePadStart(NumberPrototypeToString(bytes[i], 16), 2, '0');
  }
  if (length > limit) text += ` ... ${length - limit} more byte${length - limit > 1 ? 's' : ''}`;
  return [`${ctx.style('[Uint8Contents]', 'special')}: <${text}>`];
}

function namespaceContents(ctx, value, depth, form) {
  const entries = [];
  for (let i = 0; i < form.keys.length; i++) {
    const key = form.keys[i];
    let text;
    try {
      text = formatProperty(ctx, value, depth, key, OBJECT);
    } catch {
      text = formatProperty(ctx, { [key]: '' }, depth, key, OBJECT);
      text = StringPrototypeSlice(text, 0, StringPrototypeLastIndexOf(text, ' ') + 1) +
        ctx.style('<uninitialized>', 'special');
    }
    ArrayPrototypePush(entries, text);
  }
  form.keys = [];
  return entries;
}

// --- bases -----------------------------------------------------------------------------------------------------------

const functionTypes = {
  __proto__: null, Function: 'Function', AsyncFunction: 'AsyncFunction', GeneratorFunction: 'GeneratorFunction',
  AsyncGeneratorFunction: 'AsyncGeneratorFunction',
};

function functionBase(value, kind, constructor, tag) {
  const source = FunctionPrototypeToString(value);
  if (StringPrototypeStartsWith(source, 'class') && StringPrototypeEndsWith(source, '}') && isClassSource(source)) {
    return classBase(value, constructor, tag);
  }
  const type = functionTypes[kind] ?? 'Function';
  let base = `[${type}${constructor === null ? ' (null prototype)' : ''}`;
  base += value.name === '' ? ' (anonymous)]' : `: ${value.name}]`;
  if (constructor !== type && constructor !== null) base += ` ${constructor}`;
  if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
  return base;
}

const classHead = /^(\s|\/\*[^]*?\*\/|\/\/.*\n)*(extends\b|[\p{ID_Start}$_\\{])/u;

// `class` may also begin the name of a method: class() {} or classOf(x) {}. A class is followed by a space, comment or
// brace.
function isClassSource(source) {
  const rest = StringPrototypeSlice(source, 5);
  if (!StringPrototypeIncludes(' {/\n\t\r', rest[0])) return false;
  return RegExpPrototypeExec(classHead, rest) !== null;
}

function classBase(value, constructor, tag) {
  const name = (ObjectHasOwn(value, 'name') && value.name) || '(anonymous)';
  let base = `class ${name}`;
  if (constructor !== 'Function' && constructor !== null) base += ` [${constructor}]`;
  if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
  if (constructor === null) {
    base += ' extends [null prototype]';
  } else {
    const parent = ObjectGetPrototypeOf(value)?.name;
    if (parent) base += ` extends ${parent}`;
  }
  return `[${base}]`;
}

function regexpBase(value, constructor, tag) {
  const base = RegExpPrototypeToString(constructor !== null ? value : new RegExp(value));
  const prefix = prefixOf(constructor, tag, 'RegExp');
  return prefix === 'RegExp ' ? base : prefix + base;
}

function dateBase(value, constructor, tag) {
  const time = DatePrototypeGetTime(value);
  const base = time !== time ? DatePrototypeToString(value) : DatePrototypeToISOString(value);
  const prefix = prefixOf(constructor, tag, 'Date');
  return prefix === 'Date ' ? base : prefix + base;
}

const boxes = {
  __proto__: null,
  BoxedNumber: ['Number', NumberPrototypeValueOf],
  BoxedString: ['String', StringPrototypeValueOf],
  BoxedBoolean: ['Boolean', BooleanPrototypeValueOf],
  BoxedBigInt: ['BigInt', BigIntPrototypeValueOf],
  BoxedSymbol: ['Symbol', SymbolPrototypeValueOf],
};

function boxBase(ctx, value, kind, constructor, tag, keys) {
  const type = boxes[kind][0];
  const primitive = boxes[kind][1](value);
  // A boxed string's characters are properties of their own.
  if (type === 'String') ArrayPrototypeSplice(keys, 0, primitive.length);
  let base = `[${type}`;
  if (constructor !== type) base += constructor === null ? ' (null prototype)' : ` (${constructor})`;
  base += `: ${formatPrimitive(ctx, primitive, plain)}]`;
  if (tag !== '' && tag !== constructor) base += ` [${tag}]`;
  if (keys.length !== 0 || ctx.style === plain) return base;
  return ctx.style(base, StringPrototypeToLowerCase(type));
}

// --- forms -----------------------------------------------------------------------------------------------------------

function arrayForm(ctx, value, form, isBare) {
  const { constructor, tag } = form;
  const prefix = constructor !== 'Array' || tag !== '' ? prefixOf(constructor, tag, 'Array', `(${value.length})`) : '';
  form.keys = getOwnNonIndexProperties(value, !ctx.showHidden);
  form.braces = [`${prefix}[`, ']'];
  if (value.length === 0 && form.keys.length === 0 && isBare) return `${prefix}[]`;
  form.isArray = true;
  form.contents = arrayContents;
  return form;
}

function collectionForm(ctx, value, form, kind, isBare) {
  const size = kind === 'Set' ? SetPrototypeGetSize(value) : MapPrototypeGetSize(value);
  const prefix = prefixOf(form.constructor, form.tag, kind, `(${size})`);
  form.keys = keysOf(value, ctx.showHidden);
  if (size === 0 && form.keys.length === 0 && isBare) return `${prefix}{}`;
  form.braces = [`${prefix}{`, '}'];
  form.contents = kind === 'Set' ? setContents : mapContents;
  return form;
}

function typedArrayForm(ctx, value, form) {
  const length = TypedArrayPrototypeGetLength(value);
  const fallback = form.constructor === null ? TypedArrayPrototypeGetSymbolToStringTag(value) : '';
  const prefix = prefixOf(form.constructor, form.tag, fallback, `(${length})`);
  form.keys = getOwnNonIndexProperties(value, !ctx.showHidden);
  form.braces = [`${prefix}[`, ']'];
  if (length === 0 && form.keys.length === 0 && !ctx.showHidden) return `${prefix}[]`;
  form.isArray = true;
  form.contents = typedArrayContents;
  return form;
}

function iteratorForm(ctx, value, form, kind) {
  const name = kind === 'MapIterator' ? 'Map' : 'Set';
  const tag = form.tag === `${name} Iterator` ? form.tag : `${name} Iterator${form.tag === '' ? '' : `] [${form.tag}`}`;
  form.keys = keysOf(value, ctx.showHidden);
  form.braces = [`[${tag}] {`, '}'];
  form.contents = iteratorContents;
  return form;
}

function arrayBufferForm(ctx, form, value, kind, isBare, isBuffer) {
  const prefix = prefixOf(form.constructor, form.tag, kind);
  form.braces = [`${prefix}{`, '}'];
  if (!isBuffer) {
    form.contents = bufferContents;
  } else if (form.keys.length === 0 && isBare) {
    return `${prefix}{ byteLength: ${ctx.style(numberText(value.byteLength, false), 'number')} }`;
  }
  ArrayPrototypeUnshift(form.keys, 'byteLength');
  return form;
}

function plainForm(ctx, value, form, kind, isBare) {
  const { constructor, tag } = form;
  let open = `${prefixOf(constructor, tag, constructor === null ? fallbackName(value, tag) : 'Object')}{`;
  if (constructor === 'Object') {
    if (kind === 'Arguments') open = '[Arguments] {';
    else if (tag === '') open = '{';
  }
  form.braces = [open, '}'];
  if (form.keys.length === 0 && isBare) return kind === 'External' ? ctx.style('[External]', 'special') : `${open}}`;
  return form;
}

// basedForm(form, base, style): the base alone when there are no properties.
function basedForm(ctx, form, base, style, isBare) {
  if (form.keys.length === 0 && isBare) return style === '' ? base : ctx.style(base, style);
  form.base = base;
  return form;
}

const withContents = {
  __proto__: null,
  Promise: promiseContents,
  WeakSet: weakContents,
  WeakMap: weakContents,
  ModuleNamespace: namespaceContents,
};

function formOf(ctx, value, kind, constructor, tag, depth, isBare, isBuffer) {
  const form = {
    constructor, tag, base: '', braces: ['{', '}'], keys: undefined, isArray: false, contents: undefined,
    isWeakMap: false,
  };
  switch (kind) {
    case 'Array': return arrayForm(ctx, value, form, isBare);
    case 'Set':
    case 'Map': return collectionForm(ctx, value, form, kind, isBare);
    case 'MapIterator':
    case 'SetIterator': return iteratorForm(ctx, value, form, kind);
  }
  if (TypedArrayPrototypeGetSymbolToStringTag(value) !== undefined) return typedArrayForm(ctx, value, form);
  form.keys = keysOf(value, ctx.showHidden);
  if (typeof value === 'function') {
    return basedForm(ctx, form, functionBase(value, kind, constructor, tag), 'special', isBare);
  }
  // Also the prototypes of Number, Date, Error and so on: whatever they are inside, they are not instances.
  if (constructor === 'Object') return plainForm(ctx, value, form, kind, isBare);
  if (boxes[kind] !== undefined) {
    return basedForm(ctx, form, boxBase(ctx, value, kind, constructor, tag, form.keys), '', isBare);
  }
  if (withContents[kind] !== undefined) {
    form.braces[0] = `${prefixOf(constructor, tag, kind === 'ModuleNamespace' ? 'Module' : kind)}{`;
    form.contents = withContents[kind];
    form.isWeakMap = kind === 'WeakMap';
    return form;
  }
  switch (kind) {
    case 'RegExp': {
      const base = regexpBase(value, constructor, tag);
      // Too deep for its properties, a regular expression is still shown.
      if (depth > ctx.depth && ctx.depth !== null) return ctx.style(base, 'regexp');
      return basedForm(ctx, form, base, 'regexp', isBare);
    }
    case 'Date': return basedForm(ctx, form, dateBase(value, constructor, tag), 'date', isBare);
    case 'ArrayBuffer':
    case 'SharedArrayBuffer': return arrayBufferForm(ctx, form, value, kind, isBare, isBuffer);
    case 'DataView':
      form.braces[0] = `${prefixOf(constructor, tag, 'DataView')}{`;
      ArrayPrototypeUnshift(form.keys, 'byteLength', 'byteOffset', 'buffer');
      return form;
  }
  if (kind === 'Error' || isErrorInstance(value)) {
    internal.load('inspect_error');
    return basedForm(ctx, form, internal.errorBase(ctx, value, constructor, tag, form.keys), '', isBare);
  }
  return plainForm(ctx, value, form, kind, isBare);
}

function isErrorInstance(value) {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

internal.inspectKinds = { __proto__: null, formOf };
