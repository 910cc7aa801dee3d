// The bodies of Request and Response: what they may be made of, and the methods that read them.
//
// A body is a plain object {source, stream, isUsed}. Its source is null, a string, bytes, something to iterate, or an
// object with read(), a promise of the next bytes or null, and cancel(): the body of a message that is still arriving.
'use strict';

const {
  ArrayPrototypePush, JSONParse, PromisePrototypeThen, PromiseReject, PromiseResolve,
  SymbolAsyncIterator, SymbolIterator, TypeError, TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength,
  TypedArrayPrototypeGetByteOffset, TypedArrayPrototypeSet, TypedArrayPrototypeSlice, Uint8Array,
} = internal.primordials;
const { bytesOf, defineHidden, describe } = internal;
const { utf8Decode, utf8Encode } = native;

const TEXT = 'text/plain;charset=UTF-8';
const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';

// class Incoming: the base of what reads a message that is still arriving; for instanceof alone.
class Incoming {}

const makeBody = (source) => ({ source, stream: undefined, isUsed: false });

// toBody(value, where): [body, content type or null]. Bytes are copied: what happens to the original later is no
// business of the message's.
function toBody(value, where) {
  if (value === undefined || value === null) return [makeBody(null), null];
  if (typeof value === 'string') return [makeBody(value), TEXT];
  if (typeof value !== 'object') return [makeBody(`${value}`), TEXT];
  const bytes = bytesOf(value);
  if (bytes !== undefined) return [makeBody(TypedArrayPrototypeSlice(bytes)), null];
  if (internal.isReadableStream(value)) {
    if (value.locked || internal.isStreamDisturbed(value)) throw new TypeError(`${where}: the stream is in use`);
    return [{ source: value, stream: value, isUsed: false }, null];
  }
  if (value instanceof internal.URLSearchParams) return [makeBody(`${value}`), FORM];
  const blob = internal.blobs.blobBytes(value);
  if (blob !== undefined) return [makeBody(TypedArrayPrototypeSlice(blob)), value.type === '' ? null : value.type];
  const form = internal.formList(value);
  if (form !== undefined) {
    const [content, type] = internal.multipart.serialize(form);
    return [makeBody(content), type];
  }
  if (typeof value[SymbolAsyncIterator] === 'function' || typeof value[SymbolIterator] === 'function') {
    return [makeBody(value), null];
  }
  return [makeBody(`${value}`), TEXT];
}

// chunkBytes(chunk): what a stream gave, as bytes.
function chunkBytes(chunk) {
  if (typeof chunk === 'string') return utf8Encode(chunk);
  const bytes = bytesOf(chunk);
  if (bytes === undefined) throw new TypeError(`A body is made of strings and bytes, not of ${describe(chunk)}`);
  return bytes;
}

// isUsed(body): can it not be read any more?
const isUsed = (body) => body.isUsed || (body.stream !== undefined && internal.isStreamDisturbed(body.stream));

// isWhole(body): is all of it there, to be sent, or given again, at once?
const isWhole = ({ source, stream }) => (
  stream === undefined && (source === null || typeof source === 'string' || source instanceof Uint8Array));

// take(body): marks it as used; throws if it was.
function take(body) {
  if (isUsed(body) || body.stream?.locked) throw new TypeError('The body has been used already');
  body.isUsed = body.source !== null;
}

// A reader of chunks: next() is a promise of bytes, or null at the end.
function chunksOf(body) {
  const { source } = body;
  if (body.stream === undefined && source instanceof Incoming) {
    return { next: () => source.read(), cancel: () => source.cancel() };
  }
  const iterator = internal.iteratorOf(body.stream ?? source, 'body');
  return {
    async next() {
      const { value, done } = await iterator.next();
      return done ? null : chunkBytes(await value);
    },
    async cancel(reason) { await iterator.return?.(reason); },
  };
}

function concatenate(chunks, nbytes) {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(nbytes);
  let at = 0;
  for (let i = 0; i < chunks.length; i++) {
    TypedArrayPrototypeSet(bytes, chunks[i], at);
    at += TypedArrayPrototypeGetByteLength(chunks[i]);
  }
  return bytes;
}

async function collect(body) {
  const reader = chunksOf(body);
  const chunks = [];
  let nbytes = 0;
  for (;;) {
    const chunk = await reader.next();
    if (chunk === null) return concatenate(chunks, nbytes);
    ArrayPrototypePush(chunks, chunk);
    nbytes += TypedArrayPrototypeGetByteLength(chunk);
  }
}

const decode = (bytes) => utf8Decode(bytes, 0, TypedArrayPrototypeGetByteLength(bytes), false, false);

// read(body, fromText, fromBytes): a promise of what one of them makes of the whole body.
function read(body, fromText, fromBytes) {
  try {
    take(body);
    if (body.stream === undefined) {
      const { source } = body;
      if (source === null) return PromiseResolve(fromText(''));
      if (typeof source === 'string') return PromiseResolve(fromText(source));
      if (source instanceof Uint8Array) return PromiseResolve(fromBytes(source));
    }
  } catch (error) {
    return PromiseReject(error);
  }
  return PromisePrototypeThen(collect(body), fromBytes);
}

const same = (value) => value;
const toBytes = (text) => utf8Encode(text);
const own = (bytes) => TypedArrayPrototypeSlice(bytes);

function wholeBuffer(bytes) {
  const buffer = TypedArrayPrototypeGetBuffer(bytes);
  const isWhole = TypedArrayPrototypeGetByteOffset(bytes) === 0 &&
    TypedArrayPrototypeGetByteLength(bytes) === buffer.byteLength;
  return isWhole ? buffer : TypedArrayPrototypeGetBuffer(own(bytes));
}

const readText = (body) => read(body, same, decode);
const readJson = (body) => read(body, (text) => JSONParse(text), (bytes) => JSONParse(decode(bytes)));
const readBytes = (body) => read(body, toBytes, own);
const readBuffer = (body) => read(body, (text) => wholeBuffer(toBytes(text)), (bytes) => wholeBuffer(own(bytes)));

// streamOf(body): its ReadableStream, the same each time; null when there is no body.
function streamOf(body) {
  if (body.source === null) return null;
  if (body.stream !== undefined) return body.stream;
  if (body.isUsed) {
    body.stream = internal.ReadableStream.from([]);
    PromisePrototypeThen(body.stream.getReader().read(), () => {});
    return body.stream;
  }
  const reader = chunksOf(typeof body.source === 'string' || body.source instanceof Uint8Array ?
    makeBody([body.source]) : body);
  body.stream = new internal.ReadableStream({
    async pull(controller) {
      const chunk = await reader.next();
      if (chunk === null) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return body.stream;
}

// cloneBody(body): another one that gives the same.
function cloneBody(body) {
  if (isUsed(body) || body.stream?.locked) throw new TypeError('clone: the body has been used already');
  if (isWhole(body)) return makeBody(body.source);
  const streams = streamOf(body).tee();
  body.stream = body.source = streams[0];
  return { source: streams[1], stream: streams[1], isUsed: false };
}

// readBlob(body, type), readForm(body, type): TYPE is the message's content type, '' when it has none.
function readBlob(body, type) {
  const parsed = internal.multipart.parseType(type);
  const ownType = parsed === undefined ? '' : internal.multipart.serializeType(parsed);
  return PromisePrototypeThen(readBytes(body), (bytes) => internal.blobs.newBlob(bytes, ownType));
}

const readForm = (body, type) => PromisePrototypeThen(readBytes(body), (bytes) => internal.multipart.readForm(bytes, type));

// addBodyMethods(Class, bodyOf, typeOf): what Request and Response share. bodyOf(object) checks that it is one of them,
// typeOf(object) is the value of its field content-type, or ''.
function addBodyMethods(Class, bodyOf, typeOf) {
  const reader = (name, readAs) => defineHidden(Class.prototype, name, {
    [name]() {
      try {
        return readAs(bodyOf(this), typeOf(this));
      } catch (error) {
        return PromiseReject(error);
      }
    },
  }[name]);
  reader('text', readText);
  reader('json', readJson);
  reader('bytes', readBytes);
  reader('arrayBuffer', readBuffer);
  reader('blob', readBlob);
  reader('formData', readForm);
}

internal.httpBody = {
  __proto__: null, Incoming, addBodyMethods, chunkBytes, chunksOf, cloneBody, isUsed, isWhole, makeBody, streamOf, take, toBody,
};
