// TextEncoder and TextDecoder, after the Encoding Standard, for UTF-8, UTF-16LE, UTF-16BE and windows-1252 (which is
// what the labels latin1, ascii and iso-8859-1 mean on the web). The other legacy encodings are not there.
'use strict';

const {
  ArrayBuffer, ArrayBufferIsView, DataViewPrototypeGetBuffer, DataViewPrototypeGetByteLength,
  DataViewPrototypeGetByteOffset, ObjectKeys, RangeError, RegExpPrototypeExec, StringPrototypeCharCodeAt,
  StringPrototypeIncludes, StringPrototypeSlice, StringPrototypeToLowerCase, StringPrototypeTrim, TypeError,
  TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength, TypedArrayPrototypeGetByteOffset,
  TypedArrayPrototypeSet, TypedArrayPrototypeSlice, Uint8Array,
} = internal.primordials;
const { dictionary, illegalThis, webInterface } = internal;
const { latin1Decode, utf16leDecode, utf8Decode, utf8Encode, utf8EncodeInto } = native;

const encodings = {
  'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
  'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
  'utf-16be': 'unicodefffe utf-16be',
  'windows-1252': 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 ' +
    'iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
};

// What windows-1252 makes of the bytes 0x80 to 0x9f.
const upperControls = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

const asciiBlank = /^[\t\n\f\r ]*([^]*?)[\t\n\f\r ]*$/;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const highControl = /[\x80-\x9f]/;

// encodingOf(label): the encoding's name, or undefined.
function encodingOf(label) {
  const wanted = ` ${StringPrototypeToLowerCase(RegExpPrototypeExec(asciiBlank, label)[1])} `;
  if (wanted === '  ' || StringPrototypeIncludes(StringPrototypeTrim(wanted), ' ')) return undefined;
  const names = ObjectKeys(encodings);
  for (let i = 0; i < names.length; i++) {
    if (StringPrototypeIncludes(` ${encodings[names[i]]} `, wanted)) return names[i];
  }
  return undefined;
}

// bytesOf(source, where): a Uint8Array on the same memory as a buffer or view.
function bytesOf(source, where) {
  if (source === undefined) return new Uint8Array(0);
  const kind = native.typeTag(source);
  if (kind === 'Uint8Array') return source;
  if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') return new Uint8Array(source);
  if (kind === 'DataView') {
    return new Uint8Array(DataViewPrototypeGetBuffer(source), DataViewPrototypeGetByteOffset(source),
      DataViewPrototypeGetByteLength(source));
  }
  if (ArrayBufferIsView(source)) {
    return new Uint8Array(TypedArrayPrototypeGetBuffer(source), TypedArrayPrototypeGetByteOffset(source),
      TypedArrayPrototypeGetByteLength(source));
  }
  throw new TypeError(`${where} must be an ArrayBuffer or a view of one, not ${internal.describe(source)}`);
}

class TextEncoder {
  #brand;

  get encoding() {
    if (!(#brand in this)) throw illegalThis('TextEncoder');
    return 'utf-8';
  }

  encode(input = '') {
    if (!(#brand in this)) throw illegalThis('TextEncoder');
    return utf8Encode(`${input}`);
  }

  encodeInto(source, destination) {
    if (!(#brand in this)) throw illegalThis('TextEncoder');
    internal.needArguments(arguments.length, 2, 'TextEncoder.encodeInto');
    if (native.typeTag(destination) !== 'Uint8Array') {
      const given = internal.describe(destination);
      throw new TypeError(`TextEncoder.encodeInto: destination must be a Uint8Array, not ${given}`);
    }
    return utf8EncodeInto(`${source}`, destination);
  }
}
webInterface(TextEncoder, 'TextEncoder');

// incompleteUtf8(bytes, length): how many bytes at the end begin a sequence that more bytes may complete.
function incompleteUtf8(bytes, length) {
  for (let back = 1; back <= 3 && back <= length; back++) {
    const lead = bytes[length - back];
    if ((lead & 0xc0) === 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const needed = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (back >= needed) return 0;
    if (back === 1) return 1;
    // Overlong forms, surrogates and what lies past U+10FFFF are wrong from the second byte on.
    const second = bytes[length - back + 1];
    const isWrong = (lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f) ||
      (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f);
    return isWrong ? 0 : back;
  }
  return 0;
}

// incompleteUtf16(bytes, length, isBig): an odd byte, and a leading surrogate before it.
function incompleteUtf16(bytes, length, isBig) {
  const odd = length & 1;
  if (length - odd < 2) return odd;
  const high = bytes[length - odd - (isBig ? 2 : 1)];
  return (high & 0xfc) === 0xd8 ? odd + 2 : odd;
}

function decodeUtf16(bytes, length, isBig, fatal, keepBom) {
  let units = bytes;
  if (isBig) {
    units = new Uint8Array(length);
    for (let i = 0; i + 1 < length; i += 2) {
      units[i] = bytes[i + 1];
      units[i + 1] = bytes[i];
    }
  }
  let text = utf16leDecode(units, 0, length & ~1);
  let isBroken = (length & 1) === 1;
  let wellFormed = '';
  for (let found; (found = RegExpPrototypeExec(loneSurrogate, text)) !== null;) {
    isBroken = true;
    wellFormed += `${StringPrototypeSlice(text, 0, found.index)}\ufffd`;
    text = StringPrototypeSlice(text, found.index + 1);
  }
  if (isBroken && fatal) throw new TypeError('The encoded data was not valid for encoding utf-16');
  text = wellFormed + text + (length & 1 ? '\ufffd' : '');
  return !keepBom && text[0] === '\ufeff' ? StringPrototypeSlice(text, 1) : text;
}

function decodeWindows1252(bytes, length) {
  let text = latin1Decode(bytes, 0, length);
  let done = '';
  for (let found; (found = RegExpPrototypeExec(highControl, text)) !== null;) {
    const { index } = found;
    done += StringPrototypeSlice(text, 0, index) + upperControls[StringPrototypeCharCodeAt(text, index) - 0x80];
    text = StringPrototypeSlice(text, index + 1);
  }
  return done + text;
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #pending = undefined; // bytes held back until the rest of their sequence comes
  #isStarted = false; // the start of the stream, where a byte order mark may be, is past
  #isStreaming = false;

  constructor(label = 'utf-8', options = undefined) {
    const encoding = encodingOf(`${label}`);
    if (encoding === undefined) {
      const error = new RangeError(`The "${label}" encoding is not supported`);
      error.code = 'ERR_ENCODING_NOT_SUPPORTED';
      throw error;
    }
    const bag = dictionary(options, 'TextDecoder options');
    this.#encoding = encoding;
    this.#fatal = !!bag.fatal;
    this.#ignoreBOM = !!bag.ignoreBOM;
  }

  get encoding() { return TextDecoder.#check(this).#encoding; }
  get fatal() { return TextDecoder.#check(this).#fatal; }
  get ignoreBOM() { return TextDecoder.#check(this).#ignoreBOM; }

  decode(input = undefined, options = undefined) {
    TextDecoder.#check(this);
    const bytes = bytesOf(input, 'TextDecoder.decode: input');
    const stream = !!dictionary(options, 'TextDecoder.decode: options').stream;
    if (!stream && !this.#isStreaming) {
      return this.#convert(bytes, TypedArrayPrototypeGetByteLength(bytes), this.#ignoreBOM);
    }
    return this.#decodePart(bytes, stream);
  }

  static #check(decoder) {
    if (!(#encoding in decoder)) throw illegalThis('TextDecoder');
    return decoder;
  }

  #decodePart(bytes, stream) {
    const all = this.#pending === undefined ? bytes : joined(this.#pending, bytes);
    const length = TypedArrayPrototypeGetByteLength(all);
    const held = stream ? this.#incomplete(all, length) : 0;
    const keepBom = this.#ignoreBOM || this.#isStarted;
    this.#pending = held === 0 ? undefined : TypedArrayPrototypeSlice(all, length - held);
    this.#isStreaming = stream;
    this.#isStarted = stream && (this.#isStarted || length > held);
    try {
      return this.#convert(all, length - held, keepBom);
    } catch (error) {
      this.#pending = undefined;
      this.#isStreaming = false;
      this.#isStarted = false;
      throw error;
    }
  }

  #incomplete(bytes, length) {
    switch (this.#encoding) {
      case 'utf-8': return incompleteUtf8(bytes, length);
      case 'windows-1252': return 0;
      default: return incompleteUtf16(bytes, length, this.#encoding === 'utf-16be');
    }
  }

  #convert(bytes, length, keepBom) {
    switch (this.#encoding) {
      case 'utf-8':
        return this.#fatal ? strictUtf8(bytes, length, keepBom) : utf8Decode(bytes, 0, length, false, keepBom);
      case 'windows-1252': return decodeWindows1252(bytes, length);
      default: return decodeUtf16(bytes, length, this.#encoding === 'utf-16be', this.#fatal, keepBom);
    }
  }
}
webInterface(TextDecoder, 'TextDecoder');

function strictUtf8(bytes, length, keepBom) {
  try {
    return utf8Decode(bytes, 0, length, true, keepBom);
  } catch {
    const error = new TypeError('The encoded data was not valid for encoding utf-8');
    error.code = 'ERR_ENCODING_INVALID_ENCODED_DATA';
    throw error;
  }
}

function joined(first, second) {
  const length = TypedArrayPrototypeGetByteLength(first);
  const result = new Uint8Array(length + TypedArrayPrototypeGetByteLength(second));
  TypedArrayPrototypeSet(result, first, 0);
  TypedArrayPrototypeSet(result, second, length);
  return result;
}

internal.TextEncoder = TextEncoder;
internal.TextDecoder = TextDecoder;
