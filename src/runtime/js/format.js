// format(...args): printf-like text for the console, as Node's util.format: %s %d %i %f %j %o %O %c %%.
'use strict';

const {
  JSONStringify, Number, NumberParseFloat, NumberParseInt, ObjectAssign, ObjectGetOwnPropertyDescriptor,
  ObjectGetPrototypeOf, ObjectHasOwn, String, StringPrototypeCharCodeAt, StringPrototypeIncludes, StringPrototypeSlice,
} = internal.primordials;
const { inspect } = internal;
const { bigintText, numberText } = internal.inspectText;
const { getProxyDetails, typeTag } = native;

// hasBuiltinToString(object): String(object) would say nothing of its own, such as [object Object].
function hasBuiltinToString(object) {
  while (typeTag(object) === 'Proxy') {
    const details = getProxyDetails(object);
    if (details === undefined || details[0] === null) return true;
    object = details[0];
  }
  if (typeof object.toString !== 'function') return true;
  let holder = object;
  while (!ObjectHasOwn(holder, 'toString')) holder = ObjectGetPrototypeOf(holder);
  if (holder === object) return false;
  const constructor = ObjectGetOwnPropertyDescriptor(holder, 'constructor')?.value;
  return typeof constructor === 'function' && internal.isBuiltinName(constructor.name);
}

function formatS(value, options) {
  if (typeof value === 'number') return numberText(value, false);
  if (typeof value === 'bigint') return bigintText(value, false);
  if (typeof value !== 'object' || value === null || !hasBuiltinToString(value)) return String(value);
  return inspect(value, ObjectAssign({}, options, { depth: 0, colors: false, compact: 3 }));
}

function formatJ(value) {
  try {
    return JSONStringify(value);
  } catch (error) {
    if (typeof error?.message === 'string' && StringPrototypeIncludes(error.message, 'circular')) return '[Circular]';
    throw error;
  }
}

const asNumber = (value, convert) => (typeof value === 'symbol' ? 'NaN' : numberText(convert(value), false));

// directive(code, value, options): the text of `%code`, or undefined if there is no such directive.
function directive(code, value, options) {
  switch (code) {
    case 115: return formatS(value, options);
    case 106: return formatJ(value);
    case 100: return typeof value === 'bigint' ? bigintText(value, false) : asNumber(value, Number);
    case 105: return typeof value === 'bigint' ? bigintText(value, false) : asNumber(value, NumberParseInt);
    case 102: return asNumber(value, NumberParseFloat);
    case 79: return inspect(value, options);
    case 111: return inspect(value, ObjectAssign({}, options, { showHidden: true, showProxy: true, depth: 4 }));
    case 99: return '';
  }
}

// formatWithOptions(options, args): args is an array (or arguments); options go to inspect.
function formatWithOptions(options, args) {
  const count = args.length;
  const first = args[0];
  if (typeof first !== 'string') return joinRest(options, args, 0, '');
  if (count === 1) return first;
  let text = '';
  let done = 0;
  let used = 1;
  for (let i = 0; i < first.length - 1; i++) {
    if (StringPrototypeCharCodeAt(first, i) !== 37) continue;
    const code = StringPrototypeCharCodeAt(first, ++i);
    let replacement;
    if (code === 37) {
      replacement = '%';
    } else if (used < count) {
      replacement = directive(code, args[used], options);
      if (replacement === undefined && code !== 106) continue;
      used++;
    } else {
      continue;
    }
    text += StringPrototypeSlice(first, done, i - 1) + replacement;
    done = i + 1;
  }
  return joinRest(options, args, used, text + StringPrototypeSlice(first, done));
}

function joinRest(options, args, from, text) {
  for (let i = from; i < args.length; i++) {
    const value = args[i];
    text += (i === 0 ? '' : ' ') + (typeof value === 'string' ? value : inspect(value, options));
  }
  return text;
}

internal.formatWithOptions = formatWithOptions;
internal.format = (...args) => formatWithOptions(undefined, args);
