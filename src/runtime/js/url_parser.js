// The URL parser and serializer of the URL Standard.
//
// The standard's state machine is written here as functions that each take one part of the input at once. A URL record:
// { scheme, username, password, host, port, path, query, fragment }; host, query and fragment are strings or null, port
// is a number or null, path a list of segments or, when opaque, a string.
'use strict';

internal.load('url_encode');
internal.load('url_host');

const {
  ArrayPrototypePop, ArrayPrototypePush, ArrayPrototypeSlice, RegExpPrototypeExec, StringPrototypeCharCodeAt,
  StringPrototypeIndexOf, StringPrototypeLastIndexOf, StringPrototypeReplaceAll, StringPrototypeSlice,
  StringPrototypeStartsWith, StringPrototypeToLowerCase, Uint8Array,
} = internal.primordials;
const { parseHost } = internal;
const { C0, FRAGMENT, PATH, QUERY, SPECIAL_QUERY, USERINFO, percentEncode } = internal.urlEncode;

// Special schemes and their default ports.
const special = { __proto__: null, ftp: 21, file: null, http: 80, https: 443, ws: 80, wss: 443 };

const isSpecial = (url) => special[url.scheme] !== undefined;

const schemeHead = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/;
const blank = /[\t\n\r]/;
const digits = /^[0-9]*/;
const driveLetter = /^[A-Za-z][:|]$/;
const normalDriveLetter = /^[A-Za-z]:$/;
const startsWithDriveLetter = /^[A-Za-z][:|](?:[/\\?#]|$)/;
const singleDot = /^(?:\.|%2e)$/i;
const doubleDot = /^(?:\.|%2e)(?:\.|%2e)$/i;

function emptyUrl() {
  return {
    scheme: '', username: '', password: '', host: null, port: null, path: [], query: null,
    fragment: null,
  };
}

// withoutBlanks(text): less tabs and newlines, anywhere.
function withoutBlanks(text) {
  if (RegExpPrototypeExec(blank, text) === null) return text;
  text = StringPrototypeReplaceAll(text, '\t', '');
  text = StringPrototypeReplaceAll(text, '\n', '');
  return StringPrototypeReplaceAll(text, '\r', '');
}

function trimControls(text) {
  let start = 0;
  let end = text.length;
  while (start < end && StringPrototypeCharCodeAt(text, start) <= 32) start++;
  while (end > start && StringPrototypeCharCodeAt(text, end - 1) <= 32) end--;
  return StringPrototypeSlice(text, start, end);
}

// What ends a part: bits of indexOfAny's mask.
const TAIL = 1; // ? #
const SLASH = 2;
const BACKSLASH = 4;

const delimiters = new Uint8Array(128);
delimiters[35] = TAIL;
delimiters[63] = TAIL;
delimiters[47] = SLASH;
delimiters[92] = BACKSLASH;

// indexOfAny(text, mask, from): of the first delimiter in the mask, or text.length.
function indexOfAny(text, mask, from) {
  for (let i = from; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (code < 128 && (delimiters[code] & mask) !== 0) return i;
  }
  return text.length;
}

// --- path, query, fragment -------------------------------------------------------------------------------------------

// shorten(url): drops the last segment; the drive letter of a file URL stays.
function shorten(url) {
  const { path } = url;
  if (url.scheme === 'file' && path.length === 1 && RegExpPrototypeExec(normalDriveLetter, path[0]) !== null) return;
  if (path.length > 0) ArrayPrototypePop(path);
}

// addSegments(url, text): text is what follows a slash, and the whole rest of the path.
function addSegments(url, text) {
  const slashes = isSpecial(url) ? SLASH | BACKSLASH : SLASH;
  for (let at = 0; ;) {
    const end = indexOfAny(text, slashes, at);
    const isLast = end === text.length;
    const raw = StringPrototypeSlice(text, at, end);
    if (RegExpPrototypeExec(doubleDot, raw) !== null) {
      shorten(url);
      if (isLast) ArrayPrototypePush(url.path, '');
    } else if (RegExpPrototypeExec(singleDot, raw) !== null) {
      if (isLast) ArrayPrototypePush(url.path, '');
    } else if (url.scheme === 'file' && url.path.length === 0 && RegExpPrototypeExec(driveLetter, raw) !== null) {
      ArrayPrototypePush(url.path, `${raw[0]}:`);
    } else {
      ArrayPrototypePush(url.path, percentEncode(raw, PATH));
    }
    if (isLast) return;
    at = end + 1;
  }
}

// setPath(url, text): "path start state" for the whole path.
function setPath(url, text) {
  const startsWithSlash = text[0] === '/' || (text[0] === '\\' && isSpecial(url));
  if (startsWithSlash) addSegments(url, StringPrototypeSlice(text, 1));
  else if (text !== '' || isSpecial(url)) addSegments(url, text);
}

const encodeQuery = (url, text) => percentEncode(text, isSpecial(url) ? SPECIAL_QUERY : QUERY);

// setTail(url, text): text is empty or begins with ? or #.
function setTail(url, text) {
  const hash = StringPrototypeIndexOf(text, '#');
  if (hash !== -1) url.fragment = percentEncode(StringPrototypeSlice(text, hash + 1), FRAGMENT);
  if (text[0] === '?') url.query = encodeQuery(url, StringPrototypeSlice(text, 1, hash === -1 ? text.length : hash));
  return url;
}

// setPathAndTail(url, text, set): splits text at the first ? or #; `set` takes the path.
function setPathAndTail(url, text, set) {
  const end = indexOfAny(text, TAIL, 0);
  set(url, StringPrototypeSlice(text, 0, end));
  return setTail(url, StringPrototypeSlice(text, end));
}

function setOpaquePath(url, text) {
  const end = indexOfAny(text, TAIL, 0);
  let path = percentEncode(StringPrototypeSlice(text, 0, end), C0);
  // A space before ? or # would be lost when the URL is parsed again without them.
  if (end < text.length && path[path.length - 1] === ' ') path = `${StringPrototypeSlice(path, 0, path.length - 1)}%20`;
  url.path = path;
  return setTail(url, StringPrototypeSlice(text, end));
}

// --- authority -------------------------------------------------------------------------------------------------------

// hostEnd(text): the index of the colon before the port, or text.length; colons in brackets do not count.
function hostEnd(text) {
  let isInBrackets = false;
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (code === 91) isInBrackets = true;
    else if (code === 93) isInBrackets = false;
    else if (code === 58 && !isInBrackets) return i;
  }
  return text.length;
}

// setPort(url, text): text is all digits; false if it is no port.
function setPort(url, text) {
  if (text === '') return true;
  const port = +text;
  if (port > 65535) return false;
  url.port = port === special[url.scheme] ? null : port;
  return true;
}

function setCredentials(url, text) {
  const colon = StringPrototypeIndexOf(text, ':');
  url.username = percentEncode(colon === -1 ? text : StringPrototypeSlice(text, 0, colon), USERINFO);
  if (colon !== -1) url.password = percentEncode(StringPrototypeSlice(text, colon + 1), USERINFO);
}

const authorityEnd = (url, text) => indexOfAny(text, isSpecial(url) ? TAIL | SLASH | BACKSLASH : TAIL | SLASH, 0);

// parseAuthority(url, text): text is what follows the two slashes.
function parseAuthority(url, text) {
  const end = authorityEnd(url, text);
  const authority = StringPrototypeSlice(text, 0, end);
  const at = StringPrototypeLastIndexOf(authority, '@');
  if (at !== -1) setCredentials(url, StringPrototypeSlice(authority, 0, at));
  const hostPort = StringPrototypeSlice(authority, at + 1);
  if (at !== -1 && hostPort === '') return null;
  const colon = hostEnd(hostPort);
  const port = StringPrototypeSlice(hostPort, colon + 1);
  if (colon === 0 && (isSpecial(url) || hostPort !== '')) return null;
  url.host = parseHost(StringPrototypeSlice(hostPort, 0, colon), isSpecial(url));
  if (url.host === null || RegExpPrototypeExec(digits, port)[0] !== port || !setPort(url, port)) return null;
  return setPathAndTail(url, StringPrototypeSlice(text, end), setPath);
}

function skipSlashes(text) {
  let at = 0;
  while (text[at] === '/' || text[at] === '\\') at++;
  return StringPrototypeSlice(text, at);
}

// --- relative and file URLs ------------------------------------------------------------------------------------------

function copyAuthority(url, base) {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
}

// copyPath(url, base, text): the base's path, and its query too if text, which follows it, has no path or query of its
// own.
function copyPath(url, base, text) {
  url.path = ArrayPrototypeSlice(base.path);
  if (text === '' || text[0] === '#') url.query = base.query;
}

function parseRelative(url, base, text) {
  url.scheme = base.scheme;
  const isSlash = (character) => character === '/' || (character === '\\' && isSpecial(url));
  if (isSlash(text[0])) {
    if (isSlash(text[1])) {
      const rest = StringPrototypeSlice(text, 2);
      return parseAuthority(url, isSpecial(url) ? skipSlashes(rest) : rest);
    }
    copyAuthority(url, base);
    return setPathAndTail(url, StringPrototypeSlice(text, 1), addSegments);
  }
  copyAuthority(url, base);
  copyPath(url, base, text);
  if (text === '' || text[0] === '?' || text[0] === '#') return setTail(url, text);
  shorten(url);
  return setPathAndTail(url, text, addSegments);
}

function parseFileHost(url, text) {
  const end = indexOfAny(text, TAIL | SLASH | BACKSLASH, 0);
  const host = StringPrototypeSlice(text, 0, end);
  // file://C:/ has no host: what looks like one is the drive.
  if (RegExpPrototypeExec(driveLetter, host) !== null) return setPathAndTail(url, text, addSegments);
  if (host !== '') {
    url.host = parseHost(host, true);
    if (url.host === null) return null;
    if (url.host === 'localhost') url.host = '';
  }
  return setPathAndTail(url, StringPrototypeSlice(text, end), setPath);
}

function parseFile(url, base, text) {
  url.scheme = 'file';
  url.host = '';
  const isSlash = (character) => character === '/' || character === '\\';
  const hasFileBase = base !== null && base.scheme === 'file';
  if (isSlash(text[0])) {
    if (isSlash(text[1])) return parseFileHost(url, StringPrototypeSlice(text, 2));
    const rest = StringPrototypeSlice(text, 1);
    if (hasFileBase) {
      url.host = base.host;
      if (RegExpPrototypeExec(startsWithDriveLetter, rest) === null && base.path.length > 0 &&
          RegExpPrototypeExec(normalDriveLetter, base.path[0]) !== null) {
        ArrayPrototypePush(url.path, base.path[0]);
      }
    }
    return setPathAndTail(url, rest, addSegments);
  }
  if (!hasFileBase) return setPathAndTail(url, text, addSegments);
  url.host = base.host;
  copyPath(url, base, text);
  if (text === '' || text[0] === '?' || text[0] === '#') return setTail(url, text);
  if (RegExpPrototypeExec(startsWithDriveLetter, text) === null) shorten(url);
  else url.path = [];
  return setPathAndTail(url, text, addSegments);
}

// --- the whole -------------------------------------------------------------------------------------------------------

function parseWithScheme(url, base, rest) {
  if (url.scheme === 'file') return parseFile(url, base, rest);
  if (isSpecial(url)) {
    if (base !== null && base.scheme === url.scheme && !StringPrototypeStartsWith(rest, '//')) {
      return parseRelative(url, base, rest);
    }
    return parseAuthority(url, skipSlashes(rest));
  }
  if (StringPrototypeStartsWith(rest, '//')) return parseAuthority(url, StringPrototypeSlice(rest, 2));
  if (rest[0] === '/') return setPathAndTail(url, StringPrototypeSlice(rest, 1), addSegments);
  return setOpaquePath(url, rest);
}

// parseUrl(input, base): a record, or null; base is a record or null.
function parseUrl(input, base) {
  const text = withoutBlanks(trimControls(input));
  const url = emptyUrl();
  const scheme = RegExpPrototypeExec(schemeHead, text);
  if (scheme !== null) {
    url.scheme = StringPrototypeToLowerCase(scheme[0]);
    return parseWithScheme(url, base, StringPrototypeSlice(text, scheme[0].length + 1));
  }
  if (base === null) return null;
  if (typeof base.path === 'string') {
    if (text[0] !== '#') return null;
    url.scheme = base.scheme;
    url.path = base.path;
    url.query = base.query;
    return setTail(url, text);
  }
  return base.scheme === 'file' ? parseFile(url, base, text) : parseRelative(url, base, text);
}

function pathText(url) {
  if (typeof url.path === 'string') return url.path;
  let text = '';
  for (let i = 0; i < url.path.length; i++) text += `/${url.path[i]}`;
  return text;
}

const hostText = (url) => (url.host === null ? '' : url.port === null ? url.host : `${url.host}:${url.port}`);

function serializeUrl(url) {
  let text = `${url.scheme}:`;
  if (url.host !== null) {
    text += '//';
    if (url.username !== '' || url.password !== '') {
      text += `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
    }
    text += hostText(url);
  } else if (typeof url.path !== 'string' && url.path.length > 1 && url.path[0] === '') {
    // Else the path's two slashes would be read as the beginning of a host.
    text += '/.';
  }
  text += pathText(url);
  if (url.query !== null) text += `?${url.query}`;
  return url.fragment === null ? text : `${text}#${url.fragment}`;
}

internal.urlParser = {
  __proto__: null, addSegments, authorityEnd, encodeQuery, hostEnd, hostText, isSpecial, parseUrl, pathText, schemeHead,
  serializeUrl, setPath, setPort, special, withoutBlanks,
};
