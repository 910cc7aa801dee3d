// Percent-encoding, after the URL Standard: which ASCII characters each part of a URL escapes, and UTF-8 for all
// others.
'use strict';

const {
  ObjectKeys, StringPrototypeCharCodeAt, StringPrototypeCodePointAt, StringPrototypeIncludes, StringPrototypeSlice,
  TypedArrayPrototypeGetLength, Uint8Array,
} = internal.primordials;

// Each set is a bit in a table of the ASCII characters, and holds the sets above it but the one its comment names.
const C0 = 1;
const FRAGMENT = 2;
const QUERY = 4; // not FRAGMENT
const SPECIAL_QUERY = 8;
const PATH = 16; // not SPECIAL_QUERY
const USERINFO = 32;
const COMPONENT = 64;
const FORM = 128;

const table = new Uint8Array(128);
const upTo = { __proto__: null, FRAGMENT, QUERY, SPECIAL_QUERY, PATH, USERINFO, COMPONENT, FORM };
const added = {
  __proto__: null,
  FRAGMENT: ' "<>`',
  QUERY: ' "#<>',
  SPECIAL_QUERY: ' "#<>\'',
  PATH: ' "#<>?^`{}',
  USERINFO: ' "#<>?^`{}/:;=@[\\]|',
  COMPONENT: ' "#<>?^`{}/:;=@[\\]|$%&+,',
  FORM: ' "#<>?^`{}/:;=@[\\]|$%&+,!\'()~',
};
for (let code = 0; code < 128; code++) {
  if (code < 0x20 || code === 0x7f) table[code] = 0xff;
}
{
  const names = ObjectKeys(added);
  for (let i = 0; i < names.length; i++) {
    const characters = added[names[i]];
    for (let j = 0; j < characters.length; j++) table[StringPrototypeCharCodeAt(characters, j)] |= upTo[names[i]];
  }
}

const hexDigits = '0123456789ABCDEF';

const escapeByte = (byte) => `%${hexDigits[byte >> 4]}${hexDigits[byte & 15]}`;

// escapeCodePoint(code): the escapes of its UTF-8 bytes; a lone surrogate counts as U+FFFD.
function escapeCodePoint(code) {
  if (code < 0x80) return escapeByte(code);
  if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
  const last = escapeByte(0x80 | (code & 63));
  if (code < 0x800) return escapeByte(0xc0 | (code >> 6)) + last;
  const middle = escapeByte(0x80 | ((code >> 6) & 63)) + last;
  if (code < 0x10000) return escapeByte(0xe0 | (code >> 12)) + middle;
  return escapeByte(0xf0 | (code >> 18)) + escapeByte(0x80 | ((code >> 12) & 63)) + middle;
}

// percentEncode(text, set): escapes what is in the set and all that is not ASCII.
function percentEncode(text, set) {
  let result = '';
  let done = 0;
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (code < 128 && (table[code] & set) === 0) continue;
    const point = code < 0xd800 ? code : StringPrototypeCodePointAt(text, i);
    result += StringPrototypeSlice(text, done, i) + escapeCodePoint(point);
    if (point > 0xffff) i++;
    done = i + 1;
  }
  return done === 0 ? text : result + StringPrototypeSlice(text, done);
}

// hexValue(code): of an ASCII digit, or -1.
function hexValue(code) {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

// percentDecode(text): escapes become bytes, and all of it UTF-8 text, broken sequences U+FFFD.
function percentDecode(text) {
  if (!StringPrototypeIncludes(text, '%')) return text;
  const bytes = native.utf8Encode(text);
  const length = TypedArrayPrototypeGetLength(bytes);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i];
    const high = byte === 37 && i + 2 < length ? hexValue(bytes[i + 1]) : -1;
    const low = high < 0 ? -1 : hexValue(bytes[i + 2]);
    if (low >= 0) i += 2;
    bytes[count++] = low >= 0 ? high * 16 + low : byte;
  }
  return native.utf8Decode(bytes, 0, count, false, true);
}

internal.urlEncode = {
  __proto__: null, C0, FORM, FRAGMENT, PATH, QUERY, SPECIAL_QUERY, USERINFO, hexValue, percentDecode, percentEncode,
};
