// The bodies that forms are sent as: multipart/form-data (RFC 7578, as the HTML and Fetch Standards have it), and types of
// media with their parameters, which name the boundary.
'use strict';

const {
  ArrayPrototypePush, RegExpPrototypeExec, StringPrototypeCharCodeAt, StringPrototypeIndexOf, StringPrototypeReplaceAll,
  StringPrototypeSlice, StringPrototypeStartsWith, StringPrototypeToLowerCase, StringPrototypeTrim, TypeError,
  TypedArrayPrototypeGetByteLength, TypedArrayPrototypeSlice, TypedArrayPrototypeSubarray, Uint8Array,
} = internal.primordials;
const { blobBytes, concatenate, newBlob } = internal.blobs;
const { latin1Decode, randomHex, utf8Decode, utf8Encode } = native;

// --- Types of media --------------------------------------------------------------------------------------------------

const mediaType = /^[\t\n\r ]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+)[\t\n\r ]*(?:;|$)/;
const parameter =
  /^[\t\n\r ]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\[^])*)"[^;]*|([^;]*?)[\t\n\r ]*)(?:;|$)/;
const escaped = /\\([^])/;
const otherParameter = /^[^;]*(?:;|$)/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/;

function unescape(text) {
  let done = '';
  for (let found; (found = RegExpPrototypeExec(escaped, text)) !== null;) {
    done += `${StringPrototypeSlice(text, 0, found.index)}${found[1]}`;
    text = StringPrototypeSlice(text, found.index + 2);
  }
  return done + text;
}

// parseType(text): {essence, parameters: [name, value, ...]}, names in lower case; undefined if it is no type of media.
function parseType(text) {
  const found = RegExpPrototypeExec(mediaType, text);
  if (found === null) return undefined;
  const parameters = [];
  for (let rest = StringPrototypeSlice(text, found[0].length); rest !== '';) {
    const next = RegExpPrototypeExec(parameter, rest);
    if (next !== null) {
      const name = StringPrototypeToLowerCase(next[1]);
      const value = next[2] === undefined ? next[3] : unescape(next[2]);
      const isGood = (next[2] !== undefined || value !== '') && RegExpPrototypeExec(sendable, value) !== null;
      if (isGood && valueOf(parameters, name) === undefined) ArrayPrototypePush(parameters, name, value);
    }
    rest = StringPrototypeSlice(rest, (next ?? RegExpPrototypeExec(otherParameter, rest))[0].length);
  }
  return { essence: StringPrototypeToLowerCase(found[1]), parameters };
}

function valueOf(parameters, name) {
  for (let i = 0; i < parameters.length; i += 2) if (parameters[i] === name) return parameters[i + 1];
  return undefined;
}

function serializeType({ essence, parameters }) {
  let text = essence;
  for (let i = 0; i < parameters.length; i += 2) {
    let value = parameters[i + 1];
    if (RegExpPrototypeExec(token, value) === null) {
      value = `"${StringPrototypeReplaceAll(StringPrototypeReplaceAll(value, '\\', '\\\\'), '"', '\\"')}"`;
    }
    text += `;${parameters[i]}=${value}`;
  }
  return text;
}

// --- Writing ---------------------------------------------------------------------------------------------------------

const lineEnd = /\r\n?|(?<!\r)\n/;

// Line ends of text are CRLF.
function withLineEnds(text) {
  let done = '';
  for (let found; (found = RegExpPrototypeExec(lineEnd, text)) !== null;) {
    done += `${StringPrototypeSlice(text, 0, found.index)}\r\n`;
    text = StringPrototypeSlice(text, found.index + found[0].length);
  }
  return done + text;
}

const inQuotes = (text) => StringPrototypeReplaceAll(StringPrototypeReplaceAll(
  StringPrototypeReplaceAll(text, '\r', '%0D'), '\n', '%0A'), '"', '%22');

// serialize(list): [bytes, content type] of a FormData's list. Nobody can guess the boundary, and write it into a value.
function serialize(list) {
  const boundary = `----fino-${randomHex()}`;
  const parts = [];
  for (let i = 0; i < list.length; i += 2) {
    const value = list[i + 1];
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${inQuotes(withLineEnds(list[i]))}"`;
    if (typeof value === 'string') {
      ArrayPrototypePush(parts, utf8Encode(`${head}\r\n\r\n${withLineEnds(value)}\r\n`));
    } else {
      const type = value.type === '' ? 'application/octet-stream' : value.type;
      ArrayPrototypePush(parts, utf8Encode(`${head}; filename="${inQuotes(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`),
        blobBytes(value), utf8Encode('\r\n'));
    }
  }
  ArrayPrototypePush(parts, utf8Encode(`--${boundary}--\r\n`));
  return [concatenate(parts), `multipart/form-data; boundary=${boundary}`];
}

// --- Reading ---------------------------------------------------------------------------------------------------------

const malformed = (what) => new TypeError(`The body is not multipart/form-data: ${what}`);

const disposition = /^[\t ]*form-data[\t ]*(?:;|$)/i;
const dispositionParameter = /^[\t ]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"([^"\r\n]*)"|([^;" \t]+))[\t ]*(?:;|$)/;

const unquote = (text) => StringPrototypeReplaceAll(StringPrototypeReplaceAll(
  StringPrototypeReplaceAll(text, '%0A', '\n'), '%0D', '\r'), '%22', '"');

// The head's text is one of bytes; names are UTF-8.
function asUtf8(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = StringPrototypeCharCodeAt(text, i);
  return utf8Decode(bytes, 0, text.length, false, true);
}

function readDisposition(value, part) {
  const found = RegExpPrototypeExec(disposition, value);
  if (found === null) throw malformed('a part that is no form-data');
  for (let rest = StringPrototypeSlice(value, found[0].length); rest !== '';) {
    const next = RegExpPrototypeExec(dispositionParameter, rest);
    if (next === null) throw malformed('the disposition of a part');
    const text = unquote(asUtf8(next[2] ?? next[3]));
    const name = StringPrototypeToLowerCase(next[1]);
    if (name === 'name') part.name = text;
    if (name === 'filename') part.filename = text;
    rest = StringPrototypeSlice(rest, next[0].length);
  }
}

// readHead(head): {name, filename, type} of the part whose lines these are.
function readHead(head) {
  const part = { name: undefined, filename: undefined, type: 'text/plain' };
  for (let start = 0; start < head.length;) {
    const end = StringPrototypeIndexOf(head, '\r\n', start);
    const line = StringPrototypeSlice(head, start, end);
    const colon = StringPrototypeIndexOf(line, ':');
    const name = StringPrototypeSlice(line, 0, colon);
    if (colon < 1 || RegExpPrototypeExec(token, name) === null) throw malformed('a line of a part\'s head');
    const value = StringPrototypeSlice(line, colon + 1);
    const lower = StringPrototypeToLowerCase(name);
    if (lower === 'content-disposition') readDisposition(value, part);
    if (lower === 'content-type') part.type = StringPrototypeTrim(value);
    start = end + 2;
  }
  if (part.name === undefined) throw malformed('a part without a name');
  return part;
}

function addPart(form, { name, filename, type }, bytes) {
  if (filename === undefined) {
    form.append(name, utf8Decode(bytes, 0, TypedArrayPrototypeGetByteLength(bytes), false, false));
  } else {
    form.append(name, newBlob(TypedArrayPrototypeSlice(bytes), StringPrototypeToLowerCase(type)), filename);
  }
}

// parse(bytes, boundary): a FormData. Offsets in TEXT are those in BYTES.
function parse(bytes, boundary) {
  const text = latin1Decode(bytes, 0, TypedArrayPrototypeGetByteLength(bytes));
  const form = new internal.FormData();
  const delimiter = `\r\n--${boundary}`;
  if (!StringPrototypeStartsWith(text, `--${boundary}`)) throw malformed('it does not begin with the boundary');
  for (let at = boundary.length + 2; ;) {
    if (StringPrototypeStartsWith(text, '--', at)) return form;
    if (!StringPrototypeStartsWith(text, '\r\n', at)) throw malformed('a boundary\'s line');
    const headEnd = StringPrototypeIndexOf(text, '\r\n\r\n', at);
    const end = headEnd === -1 ? -1 : StringPrototypeIndexOf(text, delimiter, headEnd + 4);
    if (end === -1) throw malformed('it is cut off');
    const head = readHead(StringPrototypeSlice(text, at + 2, headEnd + 2));
    addPart(form, head, TypedArrayPrototypeSubarray(bytes, headEnd + 4, end));
    at = end + delimiter.length;
  }
}

// readForm(bytes, type): a FormData of a body with that content type.
function readForm(bytes, type) {
  const parsed = parseType(type);
  if (parsed?.essence === 'multipart/form-data') {
    const boundary = valueOf(parsed.parameters, 'boundary');
    if (boundary === undefined) throw malformed('its type names no boundary');
    return parse(bytes, boundary);
  }
  if (parsed?.essence !== 'application/x-www-form-urlencoded') {
    throw new TypeError(`formData: the body's type is ${type === '' ? 'not given' : `'${type}'`}: no form's`);
  }
  const form = new internal.FormData();
  const list = internal.parseForm(utf8Decode(bytes, 0, TypedArrayPrototypeGetByteLength(bytes), false, true));
  for (let i = 0; i < list.length; i += 2) form.append(list[i], list[i + 1]);
  return form;
}

internal.multipart = { __proto__: null, parseType, readForm, serialize, serializeType };
