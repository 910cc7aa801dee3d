// inspect(value, options): a value as readable text. The output is what Node's util.inspect gives for the same value.
//
// This file owns the walk: options, cycles, depth, custom inspection, properties, and the choice of form by kind of
// object. inspect_kinds.js writes the contents of each kind, inspect_text.js single things, inspect_layout.js lines and
// columns, inspect_error.js errors. User code runs only in custom inspection methods: getters and proxies are not
// triggered.
'use strict';

internal.load('inspect_text');
internal.load('inspect_layout');

const {
  ArrayPrototypeIncludes, ArrayPrototypePop, ArrayPrototypePush, ArrayPrototypeSort, FunctionPrototypeCall,
  ObjectAssign, ObjectGetOwnPropertyDescriptor, ObjectGetOwnPropertyDescriptors, ObjectGetOwnPropertyNames,
  ObjectGetOwnPropertySymbols, ObjectGetPrototypeOf, ObjectHasOwn, ObjectKeys, ObjectPrototypePropertyIsEnumerable,
  RangeError, ReflectOwnKeys, SafeMap, String, StringPrototypeIncludes, StringPrototypeRepeat,
  StringPrototypeReplaceAll, StringPrototypeSlice, SymbolToStringTag,
} = internal.primordials;
const Infinity = 1 / 0;
const { customInspect } = internal;
const { coloured, formatKey, formatPrimitive, plain, prefixOf } = internal.inspectText;
const { joinEntries, textWidth } = internal.inspectLayout;
const { getConstructorName, getProxyDetails, typeTag } = native;

// How formatProperty writes a property: as `key: value`, as an array's element (value alone), or as an array's named
// extra.
const OBJECT = 0;
const ELEMENT = 1;
const EXTRA = 2;
// Past this many characters at one indentation the rest is cut to depth 0: the result must stay a possible string.
const MAX_TOTAL_LENGTH = 2 ** 27;

const defaults = {
  __proto__: null,
  showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
  maxStringLength: 10000, breakLength: 128, compact: 3, sorted: false, getters: false, numericSeparator: false,
};

// Constructors of the language: the properties of their prototypes are not worth listing, nor is what String() makes of
// them.
const builtins =
  ' AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error ' +
  'EvalError FinalizationRegistry Float32Array Float64Array Function Int16Array Int32Array Int8Array Map ' +
  'Number Object Promise Proxy RangeError ReferenceError RegExp Set SharedArrayBuffer String Symbol ' +
  'SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef ' +
  'WeakSet ';

const isBuiltinName = (name) => StringPrototypeIncludes(builtins, ` ${name} `);

function makeContext(options) {
  const ctx = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
    maxStringLength: 10000, breakLength: 128, compact: 3, sorted: false, getters: false, numericSeparator: false,
    style: plain, seen: [], circular: undefined, indentation: 0, currentDepth: 0, budget: { __proto__: null },
  };
  if (options === undefined || options === null) return ctx;
  const keys = ObjectKeys(options);
  for (let i = 0; i < keys.length; i++) {
    const value = options[keys[i]];
    if (value !== undefined && keys[i] in defaults) ctx[keys[i]] = value;
  }
  if (ctx.colors) ctx.style = coloured;
  if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
  if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
  return ctx;
}

// inspect(value[, options]), and the old form inspect(value, showHidden, depth, colors).
function inspect(value, options, depth, colors) {
  let given = options;
  if (typeof options === 'boolean' || arguments.length > 2) {
    given = { __proto__: null, showHidden: options === true, depth, colors };
    if (typeof options === 'object' && options !== null) ObjectAssign(given, options);
  }
  const ctx = makeContext(given);
  if (given === undefined || given === null || given.breakLength === undefined) ctx.breakLength = 80;
  return formatValue(ctx, value, 0, false);
}

// userOptions(ctx): what a custom inspection method is given, to pass on to `inspect`.
function userOptions(ctx) {
  const result = {};
  const keys = ObjectKeys(defaults);
  for (let i = 0; i < keys.length; i++) result[keys[i]] = ctx[keys[i]];
  result.stylize = (text, kind) => ctx.style(`${text}`, kind);
  return result;
}

function formatValue(ctx, value, depth, isBuffer) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    return formatPrimitive(ctx, value, ctx.style);
  }
  const original = value;
  let kind = typeTag(value);
  if (kind === 'Proxy') {
    const details = getProxyDetails(value);
    if (details === undefined || details[1] === null) return ctx.style('<Revoked Proxy>', 'special');
    if (ctx.showProxy) return formatProxy(ctx, details, depth);
    // Look through the proxy, however many there are, without calling its handler.
    value = details[0];
    kind = typeTag(value);
    if (kind === 'Proxy') return formatValue(ctx, value, depth, isBuffer);
  }
  if (ctx.customInspect) {
    const method = value[customInspect];
    if (typeof method === 'function' && method !== inspect && !isOwnPrototype(value)) {
      const result = formatCustom(ctx, original, method, depth);
      if (result !== undefined) return result;
    }
  }
  if (ArrayPrototypeIncludes(ctx.seen, value)) return formatCycle(ctx, value);
  return formatObject(ctx, value, kind, depth, isBuffer);
}

// A class's prototype inherits its custom inspection but is not an instance.
function isOwnPrototype(value) {
  const descriptor = ObjectGetOwnPropertyDescriptor(value, 'constructor');
  return descriptor !== undefined && typeof descriptor.value === 'function' && descriptor.value.prototype === value;
}

function formatCustom(ctx, value, method, depth) {
  const left = ctx.depth === null ? null : ctx.depth - depth;
  const result = FunctionPrototypeCall(method, value, left, userOptions(ctx), inspect);
  if (result === value) return undefined;
  if (typeof result !== 'string') return formatValue(ctx, result, depth, false);
  return StringPrototypeReplaceAll(result, '\n', `\n${StringPrototypeRepeat(' ', ctx.indentation)}`);
}

function formatCycle(ctx, value) {
  ctx.circular ??= new SafeMap();
  let index = ctx.circular.get(value);
  if (index === undefined) {
    index = ctx.circular.size + 1;
    ctx.circular.set(value, index);
  }
  return ctx.style(`[Circular *${index}]`, 'special');
}

function formatProxy(ctx, details, depth) {
  if (depth > ctx.depth && ctx.depth !== null) return ctx.style('Proxy [Array]', 'special');
  ctx.indentation += 2;
  const entries = [formatValue(ctx, details[0], depth + 1, false), formatValue(ctx, details[1], depth + 1, false)];
  ctx.indentation -= 2;
  return joinEntries(ctx, entries, '', ['Proxy [', ']'], true, depth + 1);
}

function formatObject(ctx, value, kind, depth, isBuffer) {
  const prototypeEntries = ctx.showHidden && (depth <= ctx.depth || ctx.depth === null) ? [] : undefined;
  const constructor = constructorOf(ctx, value, depth, prototypeEntries);
  const inherited = prototypeEntries !== undefined && prototypeEntries.length > 0 ? prototypeEntries : undefined;
  const tag = tagOf(ctx, value);

  // form: what inspect_kinds.js finds for this kind; a string is the whole text already.
  const isBare = inherited === undefined;
  const form = internal.inspectKinds.formOf(ctx, value, kind, constructor, tag, depth, isBare, isBuffer);
  if (typeof form === 'string') return form;

  if (depth > ctx.depth && ctx.depth !== null) {
    const name = StringPrototypeSlice(prefixOf(constructor, tag, fallbackName(value, tag)), 0, -1);
    return ctx.style(constructor === null ? name : `[${name}]`, 'special');
  }
  return formatContents(ctx, value, form, depth + 1, inherited);
}

function formatContents(ctx, value, form, depth, inherited) {
  const { keys, braces } = form;
  let { base } = form;
  let entries;
  ArrayPrototypePush(ctx.seen, value);
  ctx.currentDepth = depth;
  const { indentation } = ctx;
  try {
    entries = form.contents === undefined ? [] : form.contents(ctx, value, depth, form);
    for (let i = 0; i < keys.length; i++) {
      ArrayPrototypePush(entries, formatProperty(ctx, value, depth, keys[i], form.isArray ? EXTRA : OBJECT));
    }
    if (inherited !== undefined) {
      for (let i = 0; i < inherited.length; i++) ArrayPrototypePush(entries, inherited[i]);
    }
  } catch (error) {
    return outOfStack(ctx, error, form, indentation);
  }
  if (ctx.circular !== undefined) {
    const index = ctx.circular.get(value);
    if (index !== undefined) {
      const reference = ctx.style(`<ref *${index}>`, 'special');
      if (ctx.compact === true) braces[0] = `${reference} ${braces[0]}`;
      else base = base === '' ? reference : `${reference} ${base}`;
    }
  }
  ArrayPrototypePop(ctx.seen);
  if (ctx.sorted) sortEntries(ctx, entries, keys, form.isArray);

  const text = joinEntries(ctx, entries, base, braces, form.isArray, depth, value);
  const total = (ctx.budget[ctx.indentation] ?? 0) + text.length;
  ctx.budget[ctx.indentation] = total;
  if (total > MAX_TOTAL_LENGTH) ctx.depth = -1;
  return text;
}

function sortEntries(ctx, entries, keys, isArray) {
  const compare = ctx.sorted === true ? undefined : ctx.sorted;
  if (!isArray) {
    ArrayPrototypeSort(entries, compare);
  } else if (keys.length > 1) {
    // Elements keep their order; only the named extras are sorted.
    const first = entries.length - keys.length;
    const extras = [];
    for (let i = first; i < entries.length; i++) ArrayPrototypePush(extras, entries[i]);
    ArrayPrototypeSort(extras, compare);
    for (let i = first; i < entries.length; i++) entries[i] = extras[i - first];
  }
}

function outOfStack(ctx, error, form, indentation) {
  if (!(error instanceof RangeError)) throw error;
  ArrayPrototypePop(ctx.seen);
  ctx.indentation = indentation;
  const name = StringPrototypeSlice(prefixOf(form.constructor, form.tag, 'Object'), 0, -1);
  return ctx.style(`[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
}

// The tag counts when it is not among the listed properties anyway.
function tagOf(ctx, value) {
  const tag = value[SymbolToStringTag];
  if (typeof tag !== 'string' || tag === '') return '';
  const listed = ctx.showHidden ? ObjectHasOwn(value, SymbolToStringTag)
    : ObjectPrototypePropertyIsEnumerable(value, SymbolToStringTag);
  return listed ? '' : tag;
}

// fallbackName(value, tag): what V8 remembers as the class of an object whose prototype chain no longer says it.
function fallbackName(value, tag) {
  const name = getConstructorName(value);
  return name === tag ? 'Object' : name;
}

function isInstance(value, constructor) {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

// constructorOf(ctx, value, depth, found): the name of the class, or null when the chain has none. With `found` (an
// array), the non-enumerable properties of user-defined prototypes on the way are formatted into it.
function constructorOf(ctx, value, depth, found) {
  let holder = value;
  let first;
  while (holder !== null) {
    const descriptor = ObjectGetOwnPropertyDescriptor(holder, 'constructor');
    if (descriptor !== undefined && typeof descriptor.value === 'function' && descriptor.value.name !== '' &&
        isInstance(value, descriptor.value)) {
      const name = String(descriptor.value.name);
      if (found !== undefined && (first !== holder || !isBuiltinName(name))) {
        addPrototypeEntries(ctx, value, first ?? value, depth, found);
      }
      return name;
    }
    holder = ObjectGetPrototypeOf(holder);
    if (first === undefined) first = holder;
  }
  if (first === null) return null;
  const name = getConstructorName(value);
  if (depth > ctx.depth && ctx.depth !== null) return `${name} <Complex prototype>`;
  const parent = constructorOf(ctx, first, depth + 1, found);
  if (parent !== null) return `${name} <${parent}>`;
  const options = userOptions(ctx);
  options.customInspect = false;
  options.depth = -1;
  return `${name} <${inspect(first, options)}>`;
}

function addPrototypeEntries(ctx, value, prototype, depth, entries) {
  const shown = new SafeMap();
  for (let level = 0; level < 3 && prototype !== null; level++) {
    const { constructor } = ObjectGetOwnPropertyDescriptors(prototype);
    if (typeof constructor?.value === 'function' && isBuiltinName(constructor.value.name)) return;
    const keys = ReflectOwnKeys(prototype);
    ArrayPrototypePush(ctx.seen, value);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (key === 'constructor' || ObjectHasOwn(value, key) || shown.has(key)) continue;
      const descriptor = ObjectGetOwnPropertyDescriptor(prototype, key);
      if (typeof descriptor.value === 'function') continue;
      const text = formatProperty(ctx, prototype, depth, key, OBJECT, descriptor);
      ArrayPrototypePush(entries, ctx.colors ? `\u001b[2m${text}\u001b[22m` : text);
      shown.set(key, true);
    }
    ArrayPrototypePop(ctx.seen);
    prototype = ObjectGetPrototypeOf(prototype);
  }
}



function formatProperty(ctx, value, depth, key, type, given) {
  const descriptor = given ?? ObjectGetOwnPropertyDescriptor(value, key) ??
    { value: value[key], configurable: true, enumerable: true };
  let text;
  let gap = ' ';
  if (descriptor.value !== undefined) {
    const indent = ctx.compact !== true || type !== OBJECT ? 2 : 3;
    ctx.indentation += indent;
    text = formatValue(ctx, descriptor.value, depth, false);
    if (indent === 3 && ctx.breakLength < textWidth(text, ctx.colors)) {
      gap = `\n${StringPrototypeRepeat(' ', ctx.indentation)}`;
    }
    ctx.indentation -= indent;
  } else if (descriptor.get !== undefined) {
    text = formatGetter(ctx, value, descriptor, depth);
  } else {
    text = descriptor.set !== undefined ? ctx.style('[Setter]', 'special') : ctx.style('undefined', 'undefined');
  }
  return type === ELEMENT ? text : `${formatKey(ctx, key, descriptor.enumerable !== false)}:${gap}${text}`;
}

function formatGetter(ctx, value, descriptor, depth) {
  const label = descriptor.set !== undefined ? 'Getter/Setter' : 'Getter';
  const wanted = ctx.getters === true || (ctx.getters === 'get' && descriptor.set === undefined) ||
    (ctx.getters === 'set' && descriptor.set !== undefined);
  if (!wanted) return ctx.style(`[${label}]`, 'special');
  try {
    const result = FunctionPrototypeCall(descriptor.get, value);
    ctx.indentation += 2;
    const text = result === null || typeof result !== 'object'
      ? `${ctx.style(`[${label}:`, 'special')} ${formatPrimitive(ctx, result, ctx.style)}${ctx.style(']', 'special')}`
      : `${ctx.style(`[${label}]`, 'special')} ${formatValue(ctx, result, depth, false)}`;
    ctx.indentation -= 2;
    return text;
  } catch (error) {
    return ctx.style(`[${label}: <Inspection threw (${error.message})>]`, 'special');
  }
}

// keysOf(value, showHidden): own keys to list, in order; enumerable ones unless showHidden.
function keysOf(value, showHidden) {
  const symbols = ObjectGetOwnPropertySymbols(value);
  let keys;
  if (showHidden) {
    keys = ObjectGetOwnPropertyNames(value);
  } else {
    try {
      keys = ObjectKeys(value);
    } catch {
      // A module namespace with a binding that is not initialised yet.
      keys = ObjectGetOwnPropertyNames(value);
    }
  }
  for (let i = 0; i < symbols.length; i++) {
    if (showHidden || ObjectPrototypePropertyIsEnumerable(value, symbols[i])) ArrayPrototypePush(keys, symbols[i]);
  }
  return keys;
}

internal.isBuiltinName = isBuiltinName;
inspect.custom = customInspect;
inspect.defaultOptions = defaults;

internal.inspectWalk = { __proto__: null, EXTRA, ELEMENT, OBJECT, fallbackName, formatProperty, formatValue, keysOf };
internal.load('inspect_kinds');
internal.inspect = inspect;
