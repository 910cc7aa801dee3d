// node:buffer: bytes that know their text. What is here is what packages that run without Node's networking use.
'use strict';

const { ArrayBuffer, ArrayIsArray, StringPrototypeCharCodeAt, StringPrototypeToLowerCase, TypeError, Uint8Array } =
  internal.primordials;
const { describe } = internal;

// Of text in each encoding; of bytes, their text.
const hexDigits = '0123456789abcdef';
const one = (bytes, read) => {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += read(bytes[i]);
  return text;
};
const binary = (bytes) => native.latin1Decode(bytes, 0, bytes.length);

function unitsToBytes(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = StringPrototypeCharCodeAt(text, i);
  return bytes;
}

const encodings = {
  __proto__: null,
  utf8: { toText: (bytes) => native.utf8Decode(bytes, 0, bytes.length, false, true), toBytes: (text) => native.utf8Encode(text) },
  latin1: { toText: binary, toBytes: unitsToBytes },
  utf16le: {
    toText: (bytes) => native.utf16leDecode(bytes, 0, bytes.length - (bytes.length % 2)),
    toBytes(text) {
      const bytes = new Uint8Array(text.length * 2);
      for (let i = 0; i < text.length; i++) {
        const unit = StringPrototypeCharCodeAt(text, i);
        bytes[2 * i] = unit & 255;
        bytes[2 * i + 1] = unit >> 8;
      }
      return bytes;
    },
  },
  hex: {
    toText: (bytes) => one(bytes, (byte) => hexDigits[byte >> 4] + hexDigits[byte & 15]),
    toBytes(text) {
      const bytes = [];
      for (let i = 0; i + 1 < text.length; i += 2) {
        const high = hexDigits.indexOf(StringPrototypeToLowerCase(text[i]));
        const low = hexDigits.indexOf(StringPrototypeToLowerCase(text[i + 1]));
        if (high < 0 || low < 0) break;
        bytes.push(high * 16 + low);
      }
      return new Uint8Array(bytes);
    },
  },
  base64: {
    toText: (bytes) => internal.btoa(binary(bytes)),
    toBytes(text) {
      const digits = text.replace(/-/g, '+').replace(/_/g, '/').replace(/[^A-Za-z0-9+/]/g, '');
      return unitsToBytes(internal.atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits));
    },
  },
  base64url: {
    toText: (bytes) => internal.btoa(binary(bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, ''),
    toBytes: (text) => encodings.base64.toBytes(text),
  },
};
encodings['utf-8'] = encodings.utf8;
encodings.ascii = encodings.binary = encodings.latin1;
encodings.ucs2 = encodings['ucs-2'] = encodings['utf-16le'] = encodings.utf16le;

function encodingOf(name = 'utf8') {
  const encoding = typeof name === 'string' ? encodings[StringPrototypeToLowerCase(name)] : undefined;
  if (encoding !== undefined) return encoding;
  const error = new TypeError(`Unknown encoding: ${typeof name === 'string' ? name : describe(name)}`);
  error.code = 'ERR_UNKNOWN_ENCODING';
  throw error;
}

// view(bytes): the same memory as a Buffer.
const view = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);

class Buffer extends Uint8Array {
  static from(value, encoding, length) {
    if (typeof value === 'string') return view(encodingOf(encoding).toBytes(value));
    if (value instanceof ArrayBuffer) return new Buffer(value, encoding, length);
    if (ArrayIsArray(value) || value instanceof Uint8Array) return new Buffer(value);
    throw new TypeError(`Buffer.from: the value must be a string, an array or bytes, not ${describe(value)}`);
  }

  static alloc(size, fill = 0, encoding = undefined) {
    const buffer = new Buffer(size);
    const bytes = typeof fill === 'string' ? encodingOf(encoding).toBytes(fill) : undefined;
    if (bytes === undefined) buffer.fill(fill);
    else for (let i = 0; i < size && bytes.length > 0; i++) buffer[i] = bytes[i % bytes.length];
    return buffer;
  }

  static allocUnsafe(size) { return new Buffer(size); }
  static isBuffer(value) { return value instanceof Buffer; }
  static isEncoding(name) { return typeof name === 'string' && encodings[StringPrototypeToLowerCase(name)] !== undefined; }
  static byteLength(value, encoding) {
    return typeof value === 'string' ? encodingOf(encoding).toBytes(value).length : value.byteLength;
  }

  static concat(list, length = undefined) {
    let total = 0;
    for (let i = 0; i < list.length; i++) total += list[i].length;
    const buffer = new Buffer(length ?? total);
    for (let i = 0, at = 0; i < list.length && at < buffer.length; at += list[i].length, i++) {
      buffer.set(list[i].subarray(0, buffer.length - at), at);
    }
    return buffer;
  }

  static compare(a, b) {
    for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
  }

  toString(encoding = undefined, start = 0, end = this.length) { return encodingOf(encoding).toText(this.subarray(start, end)); }
  equals(other) { return Buffer.compare(this, other) === 0; }
  slice(start, end) { return this.subarray(start, end); }
  toJSON() { return { type: 'Buffer', data: [...this] }; }
}

internal.Buffer = Buffer;
internal.nodeBufferModule = internal.nodeModule({ Buffer, atob: internal.atob, btoa: internal.btoa, kMaxLength: 2 ** 32 });
