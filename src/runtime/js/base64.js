// atob and btoa, after the Infra and HTML Standards: "binary strings", one character for each byte.
'use strict';

const {
  MathCeil, MathFloor, StringPrototypeCharCodeAt, TypedArrayPrototypeGetLength, TypedArrayPrototypeSubarray, Uint8Array,
} = internal.primordials;
const { needArguments } = internal;

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const invalidCharacter = (message) => internal.makeDOMException(message, 'InvalidCharacterError');

const digitCodes = native.utf8Encode(digits);
const PADDING = 61; // =

internal.btoa = function btoa(data) {
  needArguments(arguments.length, 1, 'btoa');
  const text = `${data}`;
  const { length } = text;
  const output = new Uint8Array(MathCeil(length / 3) * 4);
  for (let i = 0, at = 0; i < length; i += 3, at += 4) {
    const a = StringPrototypeCharCodeAt(text, i);
    const b = i + 1 < length ? StringPrototypeCharCodeAt(text, i + 1) : 0;
    const c = i + 2 < length ? StringPrototypeCharCodeAt(text, i + 2) : 0;
    if ((a | b | c) > 255) throw invalidCharacter('btoa: the string has a character above U+00FF');
    output[at] = digitCodes[a >> 2];
    output[at + 1] = digitCodes[((a & 3) << 4) | (b >> 4)];
    output[at + 2] = i + 1 < length ? digitCodes[((b & 15) << 2) | (c >> 6)] : PADDING;
    output[at + 3] = i + 2 < length ? digitCodes[c & 63] : PADDING;
  }
  return native.latin1Decode(output, 0, TypedArrayPrototypeGetLength(output));
};

const values = new Uint8Array(128);
for (let i = 0; i < values.length; i++) values[i] = 0xff;
for (let i = 0; i < digits.length; i++) values[StringPrototypeCharCodeAt(digits, i)] = i;

const isBlank = (code) => code === 32 || code === 9 || code === 10 || code === 12 || code === 13;

// sextetsOf(text): the values of the digits, without blanks and padding.
function sextetsOf(text) {
  const sextets = new Uint8Array(text.length);
  let count = 0;
  let padding = 0;
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (isBlank(code)) continue;
    if (code === PADDING) {
      padding++;
      continue;
    }
    if (code > 127 || values[code] === 0xff || padding > 0) {
      throw invalidCharacter('atob: the string is not correctly encoded');
    }
    sextets[count++] = values[code];
  }
  const isPaddingWrong = padding > 2 || (padding > 0 && (count + padding) % 4 !== 0);
  if (count % 4 === 1 || isPaddingWrong) throw invalidCharacter('atob: the string is not correctly encoded');
  return TypedArrayPrototypeSubarray(sextets, 0, count);
}

internal.atob = function atob(data) {
  needArguments(arguments.length, 1, 'atob');
  const sextets = sextetsOf(`${data}`);
  const count = TypedArrayPrototypeGetLength(sextets);
  const bytes = new Uint8Array(MathFloor((count * 3) / 4));
  for (let i = 0, at = 0; i < count; i += 4) {
    const word = (sextets[i] << 18) | (sextets[i + 1] << 12) | ((sextets[i + 2] ?? 0) << 6) | (sextets[i + 3] ?? 0);
    bytes[at++] = word >> 16;
    bytes[at++] = (word >> 8) & 255;
    bytes[at++] = word & 255;
  }
  return native.latin1Decode(bytes, 0, TypedArrayPrototypeGetLength(bytes));
};
