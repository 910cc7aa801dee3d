// How `inspect` lays out the entries of one object: on one line, in aligned columns, or one below another.
'use strict';

const {
  ArrayPrototypeJoin, ArrayPrototypePush, MathFloor, MathMax, MathMin, MathRound, MathSqrt, RegExpPrototypeExec,
  StringFromCodePoint, StringPrototypeCharCodeAt, StringPrototypeCodePointAt, StringPrototypeIncludes,
  StringPrototypeIndexOf, StringPrototypeNormalize, StringPrototypePadEnd, StringPrototypePadStart,
  StringPrototypeRepeat, StringPrototypeSlice,
} = internal.primordials;

// Arrays with more entries than this are set in columns.
const COLUMNS_FROM = 6;
const MAX_COLUMNS = 15;
// A character cell is about this many times higher than wide: columns aim at a block that looks square.
const CELL_HEIGHT = 2.5;
const SEPARATOR_WIDTH = 2;
// Taken from the widest cell to reckon with a typical one.
const CELL_BIAS = 3;
// What a one-line form needs beside its entries: braces, spaces, and room for what stands before it.
const ONE_LINE_RESERVE = 10;

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wideEmoji = /^\p{Emoji_Presentation}$/u;
// Code points, first and last, that fill two cells (East Asian Width W and F), emoji aside.
const wideRanges = [
  0x1100, 0x115f, 0x2329, 0x232a, 0x2e80, 0x303e, 0x3041, 0x4dbf, 0x4e00, 0xa4cf, 0xa960, 0xa97c, 0xac00, 0xd7a3,
  0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe6f, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18cff, 0x1b000, 0x1b2ff,
  0x1f200, 0x1f265, 0x20000, 0x3fffd,
];

function codePointWidth(code) {
  if (code < 32 || (code >= 127 && code < 160)) return 0;
  if (code < 0x300) return 1;
  for (let i = 0; i < wideRanges.length && code >= wideRanges[i]; i += 2) {
    if (code <= wideRanges[i + 1]) return 2;
  }
  const character = StringFromCodePoint(code);
  if (RegExpPrototypeExec(zeroWidth, character) !== null) return 0;
  return RegExpPrototypeExec(wideEmoji, character) !== null ? 2 : 1;
}

// withoutColours(text): less the colour sequences that `inspect` itself writes.
function withoutColours(text) {
  let result = '';
  let start = 0;
  for (let at; (at = StringPrototypeIndexOf(text, '\u001b[', start)) !== -1;) {
    result += StringPrototypeSlice(text, start, at);
    start = StringPrototypeIndexOf(text, 'm', at) + 1;
    if (start === 0) return result;
  }
  return start === 0 ? text : result + StringPrototypeSlice(text, start);
}

// textWidth(text, hasColours): terminal cells.
function textWidth(text, hasColours) {
  if (hasColours) text = withoutColours(text);
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (code >= 127) return unicodeWidth(StringPrototypeNormalize(text, 'NFC'));
    if (code >= 32) width++;
  }
  return width;
}

function unicodeWidth(text) {
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCodePointAt(text, i);
    if (code > 0xffff) i++;
    width += codePointWidth(code);
  }
  return width;
}

// intoColumns(ctx, entries, array): the entries of a long array joined into rows of aligned columns, or `entries`
// itself when columns would not help. Numbers align right. A last entry "... n more items" stays a row of its own.
function intoColumns(ctx, entries, array) {
  const hasMore = ctx.maxArrayLength < entries.length;
  const count = hasMore ? entries.length - 1 : entries.length;
  const widths = [];
  let total = 0;
  let widest = 0;
  for (let i = 0; i < count; i++) {
    const width = textWidth(entries[i], ctx.colors);
    ArrayPrototypePush(widths, width);
    total += width + SEPARATOR_WIDTH;
    widest = MathMax(widest, width);
  }
  const cell = widest + SEPARATOR_WIDTH;
  // Columns pay when three fit, and when the entries are short or of much the same width.
  if (cell * 3 + ctx.indentation >= ctx.breakLength || (total / cell <= 5 && widest > 6)) return entries;

  const typicalCell = MathMax(cell - CELL_BIAS - MathSqrt(cell - total / entries.length), 1);
  const columns = MathMin(
    MathRound(MathSqrt(CELL_HEIGHT * typicalCell * count) / typicalCell),
    MathFloor((ctx.breakLength - ctx.indentation) / cell),
    ctx.compact * 4,
    MAX_COLUMNS,
  );
  if (columns <= 1) return entries;
  const right = alignsRight(array, entries.length);
  const rows = setRows(entries, count, widths, columnWidths(widths, count, columns), right);
  if (hasMore) ArrayPrototypePush(rows, entries[count]);
  return rows;
}

function columnWidths(widths, count, columns) {
  const result = [];
  for (let column = 0; column < columns; column++) {
    let widest = 0;
    for (let i = column; i < count; i += columns) widest = MathMax(widest, widths[i]);
    ArrayPrototypePush(result, widest + SEPARATOR_WIDTH);
  }
  return result;
}

function alignsRight(array, count) {
  if (array === undefined) return true;
  for (let i = 0; i < count; i++) {
    if (typeof array[i] !== 'number' && typeof array[i] !== 'bigint') return false;
  }
  return true;
}

function setRows(entries, count, widths, columns, right) {
  const pad = right ? StringPrototypePadStart : StringPrototypePadEnd;
  const rows = [];
  for (let i = 0; i < count; i += columns.length) {
    const last = MathMin(i + columns.length, count) - 1;
    let row = '';
    for (let j = i; j < last; j++) {
      // Padding counts UTF-16 units: add what colours and zero-width characters take beyond their cells.
      row += pad(`${entries[j]}, `, columns[j - i] + entries[j].length - widths[j], ' ');
    }
    const width = columns[last - i] + entries[last].length - widths[last] - SEPARATOR_WIDTH;
    row += right ? pad(entries[last], width, ' ') : entries[last];
    ArrayPrototypePush(rows, row);
  }
  return rows;
}

function fitsLine(ctx, entries, start, base) {
  let length = entries.length + start;
  if (length + entries.length > ctx.breakLength) return false;
  for (let i = 0; i < entries.length; i++) {
    length += ctx.colors ? withoutColours(entries[i]).length : entries[i].length;
    if (length > ctx.breakLength) return false;
  }
  return base === '' || !StringPrototypeIncludes(base, '\n');
}

// joinEntries(ctx, entries, base, braces, isArray, depth, value): the text of one object. `base` stands before the
// braces (an error's stack, a function's name).
function joinEntries(ctx, entries, base, braces, isArray, depth, value) {
  const indent = `\n${StringPrototypeRepeat(' ', ctx.indentation)}`;
  if (ctx.compact === true) {
    if (fitsLine(ctx, entries, 0, base)) {
      return `${braces[0]}${base ? ` ${base}` : ''} ${ArrayPrototypeJoin(entries, ', ')} ${braces[1]}`;
    }
    const start = base === '' && braces[0].length === 1 ? ' ' : `${base ? ` ${base}` : ''}${indent}  `;
    return `${braces[0]}${start}${ArrayPrototypeJoin(entries, `,${indent}  `)} ${braces[1]}`;
  }
  const before = base ? `${base} ` : '';
  if (ctx.compact >= 1) {
    const count = entries.length;
    if (isArray && count > COLUMNS_FROM) entries = intoColumns(ctx, entries, value);
    // An object goes on one line when it fits and holds at most `compact` levels below itself.
    if (ctx.currentDepth - depth < ctx.compact && count === entries.length) {
      const start = count + ctx.indentation + braces[0].length + base.length + ONE_LINE_RESERVE;
      if (fitsLine(ctx, entries, start, base)) {
        const joined = ArrayPrototypeJoin(entries, ', ');
        if (!StringPrototypeIncludes(joined, '\n')) return `${before}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
  }
  return `${before}${braces[0]}${indent}  ${ArrayPrototypeJoin(entries, `,${indent}  `)}${indent}${braces[1]}`;
}

internal.inspectLayout = { __proto__: null, joinEntries, textWidth };
