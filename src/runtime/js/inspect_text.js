// Text that `inspect` writes for single things: primitives, quoted strings, property keys, class-name prefixes,
// colours.
'use strict';

const {
  ArrayPrototypeJoin, ArrayPrototypePush, BigInt, MathTrunc, NumberPrototypeToString, ObjectIs, RegExpPrototypeExec,
  String, StringPrototypeCharCodeAt, StringPrototypeIncludes, StringPrototypeIndexOf, StringPrototypePadStart,
  StringPrototypeRepeat, StringPrototypeSlice, StringPrototypeToUpperCase, SymbolPrototypeToString,
} = internal.primordials;

// Strings up to this length stay on one line whatever the width is.
const ALWAYS_ONE_LINE = 16;

const needsEscape = /[\x00-\x1f\x27\x5c\x7f-\x9f\ud800-\udfff]/;
const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const namedEscapes = { __proto__: null, 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 92: '\\\\' };

const hex = (code) => StringPrototypeToUpperCase(NumberPrototypeToString(code, 16));

// escapeUnit(text, i, quote): how the UTF-16 unit at i is written, or '' when it is written as it is.
function escapeUnit(text, i, quote) {
  const code = StringPrototypeCharCodeAt(text, i);
  if (code < 32 || (code >= 127 && code <= 159)) {
    return namedEscapes[code] ?? `\\x${StringPrototypePadStart(hex(code), 2, '0')}`;
  }
  if (code === 92) return namedEscapes[92];
  if (code === quote) return "\\'";
  if (code < 0xd800 || code > 0xdfff) return '';
  const next = StringPrototypeCharCodeAt(text, i + 1);
  if (code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) return '';
  const previous = StringPrototypeCharCodeAt(text, i - 1);
  if (code >= 0xdc00 && previous >= 0xd800 && previous <= 0xdbff) return '';
  return `\\u${NumberPrototypeToString(code, 16)}`;
}

// escape(text, quote): control characters, backslashes, lone surrogates and the unit `quote` (or -1) escaped.
function escape(text, quote) {
  let result = '';
  let done = 0;
  for (let i = 0; i < text.length; i++) {
    const escaped = escapeUnit(text, i, quote);
    if (escaped === '') continue;
    result += StringPrototypeSlice(text, done, i) + escaped;
    done = i + 1;
  }
  return done === 0 ? text : result + StringPrototypeSlice(text, done);
}

// quote(text): as a literal, in the quotes that need no escape: 'a', else "a", else `a`.
function quote(text) {
  if (RegExpPrototypeExec(needsEscape, text) === null) return `'${text}'`;
  if (!StringPrototypeIncludes(text, "'")) return `'${escape(text, -1)}'`;
  if (!StringPrototypeIncludes(text, '"')) return `"${escape(text, -1)}"`;
  if (!StringPrototypeIncludes(text, '`') && !StringPrototypeIncludes(text, '${')) return `\`${escape(text, -1)}\``;
  return `'${escape(text, 39)}'`;
}

// splitAfterNewlines(text): the lines of text, each with the newline that ends it.
function splitAfterNewlines(text) {
  const lines = [];
  let start = 0;
  for (let end; (end = StringPrototypeIndexOf(text, '\n', start)) !== -1; start = end + 1) {
    ArrayPrototypePush(lines, StringPrototypeSlice(text, start, end + 1));
  }
  if (start < text.length) ArrayPrototypePush(lines, StringPrototypeSlice(text, start));
  return lines;
}

function formatString(ctx, text, style) {
  let trailer = '';
  if (text.length > ctx.maxStringLength) {
    const rest = text.length - ctx.maxStringLength;
    text = StringPrototypeSlice(text, 0, ctx.maxStringLength);
    trailer = `... ${rest} more character${rest > 1 ? 's' : ''}`;
  }
  if (ctx.compact !== true && text.length > ALWAYS_ONE_LINE && text.length > ctx.breakLength - ctx.indentation - 4) {
    const lines = splitAfterNewlines(text);
    for (let i = 0; i < lines.length; i++) lines[i] = style(quote(lines[i]), 'string');
    return ArrayPrototypeJoin(lines, ` +\n${StringPrototypeRepeat(' ', ctx.indentation + 2)}`) + trailer;
  }
  return style(quote(text), 'string') + trailer;
}

// groupDigits(digits): 1234567 -> 1_234_567.
function groupDigits(digits) {
  const first = digits[0] === '-' ? 1 : 0;
  let result = '';
  let end = digits.length;
  for (; end - first > 3; end -= 3) result = `_${StringPrototypeSlice(digits, end - 3, end)}${result}`;
  return StringPrototypeSlice(digits, 0, end) + result;
}

function groupFraction(digits) {
  let result = '';
  let start = 0;
  for (; start < digits.length - 3; start += 3) result += `${StringPrototypeSlice(digits, start, start + 3)}_`;
  return result + StringPrototypeSlice(digits, start);
}

function numberText(number, separate) {
  if (ObjectIs(number, -0)) return separate ? '0' : '-0';
  const text = String(number);
  if (!separate || StringPrototypeIncludes(text, 'e') || number !== number || number - number !== 0) return text;
  if (MathTrunc(number) === number) return groupDigits(text);
  const dot = StringPrototypeIndexOf(text, '.');
  return `${groupDigits(StringPrototypeSlice(text, 0, dot))}.${groupFraction(StringPrototypeSlice(text, dot + 1))}`;
}

const bigintText = (bigint, separate) => `${separate ? groupDigits(String(BigInt(bigint))) : String(bigint)}n`;

function formatPrimitive(ctx, value, style) {
  switch (typeof value) {
    case 'string': return formatString(ctx, value, style);
    case 'number': return style(numberText(value, ctx.numericSeparator), 'number');
    case 'bigint': return style(bigintText(value, ctx.numericSeparator), 'bigint');
    case 'boolean': return style(value ? 'true' : 'false', 'boolean');
    case 'undefined': return style('undefined', 'undefined');
    case 'symbol': return style(SymbolPrototypeToString(value), 'symbol');
    default: return style('null', 'null');
  }
}

// formatKey(ctx, key, enumerable): the part of a property before its colon.
function formatKey(ctx, key, enumerable) {
  if (typeof key === 'symbol') return `[${ctx.style(escape(SymbolPrototypeToString(key), 39), 'symbol')}]`;
  if (key === '__proto__') return "['__proto__']";
  if (!enumerable) return `[${escape(key, 39)}]`;
  if (RegExpPrototypeExec(identifier, key) !== null) return ctx.style(key, 'name');
  return ctx.style(quote(key), 'string');
}

// prefixOf(constructor, tag, fallback, size): `Foo(3) [Tag] `; a null constructor means a chain without one.
function prefixOf(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    const own = `[${fallback}${size}: null prototype] `;
    return tag !== '' && fallback !== tag ? `${own}[${tag}] ` : own;
  }
  return tag !== '' && constructor !== tag ? `${constructor}${size} [${tag}] ` : `${constructor}${size} `;
}

const moreItems = (count) => `... ${count} more item${count > 1 ? 's' : ''}`;

const colours = {
  __proto__: null,
  special: [36, 39], number: [33, 39], bigint: [33, 39], boolean: [33, 39], undefined: [90, 39], null: [1, 22],
  string: [32, 39], symbol: [32, 39], date: [35, 39], regexp: [31, 39], internal: [90, 39],
};

const plain = (text) => text;

function coloured(text, kind) {
  const pair = colours[kind];
  return pair === undefined ? text : `\u001b[${pair[0]}m${text}\u001b[${pair[1]}m`;
}

internal.inspectText = {
  __proto__: null,
  bigintText, coloured, formatKey, formatPrimitive, moreItems, numberText, plain, prefixOf, quote,
};
