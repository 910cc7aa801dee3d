// class Blob and class File, after the File API: bytes that don't change, and their type. All of them are in memory; a
// slice shares them.
'use strict';

const {
  Date, DatePrototypeGetTime, MathMax, MathMin, MathTrunc, PromisePrototypeThen, PromiseReject, PromiseResolve,
  RegExpPrototypeExec, StringPrototypeReplaceAll, StringPrototypeToLowerCase, TypeError, TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetByteLength, TypedArrayPrototypeSet, TypedArrayPrototypeSlice, TypedArrayPrototypeSubarray,
  Uint8Array,
} = internal.primordials;
const {
  bytesOf, customInspect, defineHidden, describe, dictionary, illegalThis, listOf, needArguments, toUsv, webInterface,
} = internal;
const { utf8Decode, utf8Encode } = native;

const CHUNK_NBYTES = 65536; // of what stream() gives

const key = {}; // constructors called with it take their bytes as they are

const lengthOf = (bytes) => TypedArrayPrototypeGetByteLength(bytes);

// concatenate(parts): one Uint8Array of many.
function concatenate(parts) {
  let nbytes = 0;
  for (let i = 0; i < parts.length; i++) nbytes += lengthOf(parts[i]);
  const bytes = new Uint8Array(nbytes);
  for (let i = 0, at = 0; i < parts.length; at += lengthOf(parts[i++])) TypedArrayPrototypeSet(bytes, parts[i], at);
  return bytes;
}

// --- The constructor's arguments -------------------------------------------------------------------------------------

const notType = /[^\x20-\x7e]/;

// A type with other characters is none.
function toType(value) {
  const text = `${value}`;
  return RegExpPrototypeExec(notType, text) === null ? StringPrototypeToLowerCase(text) : '';
}

// toParts(parts, where): bytes and strings.
const toParts = (parts, where) => listOf(parts, `${where}: parts`, (part) => blobBytes(part) ?? bytesOf(part) ?? `${part}`);

function toBag(options, where) {
  const given = dictionary(options, `${where}: options`);
  const endings = given.endings === undefined ? 'transparent' : `${given.endings}`;
  if (endings !== 'transparent' && endings !== 'native') {
    throw new TypeError(`${where}: endings can be transparent or native, not ${describe(endings)}`);
  }
  return { given, endings, type: given.type === undefined ? '' : toType(given.type) };
}

// joinParts(parts, endings): their bytes as they are now: what later happens to them is no business of the blob's.
function joinParts(parts, endings) {
  for (let i = 0; i < parts.length; i++) {
    let part = parts[i];
    if (typeof part !== 'string') continue;
    if (endings === 'native') part = StringPrototypeReplaceAll(StringPrototypeReplaceAll(part, '\r\n', '\n'), '\r', '\n');
    parts[i] = utf8Encode(part);
  }
  return concatenate(parts);
}

// An index of a slice: negative ones count from the end.
function toIndex(value, fallback, nbytes) {
  if (value === undefined) return fallback;
  const index = MathTrunc(+value) || 0;
  return index < 0 ? MathMax(nbytes + index, 0) : MathMin(index, nbytes);
}

// --- Blob ------------------------------------------------------------------------------------------------------------

let blobBytes; // blobBytes(value): the bytes of a Blob, not to be written to; undefined for all else

class Blob {
  #bytes;
  #type;

  constructor(parts = undefined, options = undefined) {
    if (parts === key) {
      this.#bytes = options.bytes;
      this.#type = options.type;
      return;
    }
    const list = parts === undefined ? [] : toParts(parts, 'Blob');
    const { endings, type } = toBag(options, 'Blob');
    this.#bytes = joinParts(list, endings);
    this.#type = type;
  }

  static {
    blobBytes = (value) => (typeof value === 'object' && value !== null && #bytes in value ? value.#bytes : undefined);
  }

  get size() { return lengthOf(ownBytes(this)); }
  get type() {
    ownBytes(this);
    return this.#type;
  }

  slice(start = undefined, end = undefined, type = '') {
    const bytes = ownBytes(this);
    const from = toIndex(start, 0, lengthOf(bytes));
    const to = toIndex(end, lengthOf(bytes), lengthOf(bytes));
    const part = TypedArrayPrototypeSubarray(bytes, from, MathMax(from, to));
    return new Blob(key, { bytes: part, type: toType(type) });
  }

  stream() {
    const bytes = ownBytes(this);
    let at = 0;
    return new internal.ReadableStream({
      type: 'bytes',
      pull(controller) {
        const end = MathMin(at + CHUNK_NBYTES, lengthOf(bytes));
        if (end > at) controller.enqueue(TypedArrayPrototypeSlice(bytes, at, end));
        at = end;
        if (at === lengthOf(bytes)) controller.close();
      },
    });
  }
}

function ownBytes(value) {
  const bytes = blobBytes(value);
  if (bytes === undefined) throw illegalThis('Blob');
  return bytes;
}

const decode = (bytes) => utf8Decode(bytes, 0, lengthOf(bytes), false, false);

// The bytes are there at once; who asks for them is told as it would be if they weren't.
const readers = {
  arrayBuffer: (bytes) => TypedArrayPrototypeGetBuffer(TypedArrayPrototypeSlice(bytes)),
  bytes: (bytes) => TypedArrayPrototypeSlice(bytes),
  text: decode,
};
for (const name in readers) {
  const read = readers[name];
  defineHidden(Blob.prototype, name, {
    [name]() {
      const bytes = blobBytes(this);
      if (bytes === undefined) return PromiseReject(illegalThis('Blob'));
      return PromisePrototypeThen(PromiseResolve(bytes), read);
    },
  }[name]);
}
webInterface(Blob, 'Blob');

// --- File ------------------------------------------------------------------------------------------------------------

let isFile;

class File extends Blob {
  #name;
  #lastModified;

  constructor(parts, name, options = undefined) {
    if (parts === key) {
      super(key, name);
      this.#name = name.name;
      this.#lastModified = name.lastModified;
      return;
    }
    needArguments(arguments.length, 2, 'File');
    const list = toParts(parts, 'File');
    const ownName = toUsv(name);
    const { given, endings, type } = toBag(options, 'File');
    const { lastModified } = given;
    super(key, { bytes: joinParts(list, endings), type });
    this.#name = ownName;
    this.#lastModified = lastModified === undefined ? DatePrototypeGetTime(new Date()) : MathTrunc(+lastModified) || 0;
  }

  static {
    isFile = (value) => typeof value === 'object' && value !== null && #name in value;
  }

  get name() {
    if (!isFile(this)) throw illegalThis('File');
    return this.#name;
  }
  get lastModified() {
    if (!isFile(this)) throw illegalThis('File');
    return this.#lastModified;
  }
}
webInterface(File, 'File');

defineHidden(Blob.prototype, customInspect, function (depth, options, inspect) {
  const bytes = blobBytes(this);
  if (bytes === undefined) return this;
  const shown = { size: lengthOf(bytes), type: this.type };
  if (!isFile(this)) return `Blob ${inspect(shown, options)}`;
  return `File ${inspect({ ...shown, name: this.name, lastModified: this.lastModified }, options)}`;
});

// asFile(blob, name): a file of that name with the blob's bytes.
function asFile(blob, name) {
  const lastModified = isFile(blob) ? blob.lastModified : DatePrototypeGetTime(new Date());
  return new File(key, { bytes: blobBytes(blob), type: blob.type, name, lastModified });
}

internal.Blob = Blob;
internal.File = File;
internal.blobs = {
  __proto__: null, asFile, blobBytes, concatenate, isFile, newBlob: (bytes, type) => new Blob(key, { bytes, type }),
};
