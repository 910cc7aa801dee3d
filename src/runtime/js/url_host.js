// Hosts, after the URL Standard: domains, IPv4 and IPv6 addresses, opaque hosts. A parsed host is its serialization.
'use strict';

internal.load('url_encode');

const {
  ArrayPrototypePop, NumberParseInt, NumberPrototypeToString, RegExpPrototypeExec, StringPrototypeCharCodeAt,
  StringPrototypeSlice, StringPrototypeSplit, StringPrototypeToLowerCase,
} = internal.primordials;
const { C0, hexValue, percentDecode, percentEncode } = internal.urlEncode;

const ascii = /^[\x00-\x7f]*$/;
const forbiddenHost = /[\x00\t\n\r #/:<>?@[\\\]^|]/;
const forbiddenDomain = /[\x00-\x20#%/:<>?@[\\\]^|\x7f]/;
const digitsOnly = /^[0-9]+$/;
const ipv4Byte = /^(?:0|[1-9][0-9]{0,2})$/;
const hexNumber = /^0[xX][0-9a-fA-F]*$/;
const octalNumber = /^0[0-7]+$/;

// ipv4Part(text): a number, or NaN. Hexadecimal and octal count.
function ipv4Part(text) {
  if (text === '') return NaN;
  if (RegExpPrototypeExec(hexNumber, text) !== null) {
    return text.length === 2 ? 0 : NumberParseInt(StringPrototypeSlice(text, 2), 16);
  }
  if (text.length > 1 && text[0] === '0') {
    return RegExpPrototypeExec(octalNumber, text) !== null ? NumberParseInt(text, 8) : NaN;
  }
  return RegExpPrototypeExec(digitsOnly, text) !== null ? NumberParseInt(text, 10) : NaN;
}

const mayEndNumber = /[0-9a-fA-FxX]\.?$/;

function endsInNumber(domain) {
  if (RegExpPrototypeExec(mayEndNumber, domain) === null) return false;
  const parts = StringPrototypeSplit(domain, '.');
  if (parts[parts.length - 1] === '') {
    if (parts.length === 1) return false;
    ArrayPrototypePop(parts);
  }
  const last = parts[parts.length - 1];
  return RegExpPrototypeExec(digitsOnly, last) !== null || RegExpPrototypeExec(hexNumber, last) !== null;
}

// parseIpv4(domain): dotted decimal, or null. The last part fills all the bytes that are left.
function parseIpv4(domain) {
  const parts = StringPrototypeSplit(domain, '.');
  if (parts[parts.length - 1] === '' && parts.length > 1) ArrayPrototypePop(parts);
  if (parts.length > 4) return null;
  let address = 0;
  for (let i = 0; i < parts.length; i++) {
    const number = ipv4Part(parts[i]);
    const isLast = i === parts.length - 1;
    if (number !== number || number >= (isLast ? 256 ** (5 - parts.length) : 256)) return null;
    address += number * (isLast ? 1 : 256 ** (3 - i));
  }
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

// parseIpv4Tail(text, at, pieces, index): dotted decimal at the end of an IPv6 address, into two pieces; false if
// malformed.
function parseIpv4Tail(text, at, pieces, index) {
  if (index > 6) return false;
  const parts = StringPrototypeSplit(StringPrototypeSlice(text, at), '.');
  if (parts.length !== 4) return false;
  for (let i = 0; i < 4; i++) {
    const part = parts[i];
    if (RegExpPrototypeExec(ipv4Byte, part) === null || +part > 255) return false;
    pieces[index + (i >> 1)] = pieces[index + (i >> 1)] * 256 + +part;
  }
  return true;
}

// parseIpv6(text): eight 16-bit pieces, or null.
function parseIpv6(text) {
  const pieces = [0, 0, 0, 0, 0, 0, 0, 0];
  let index = 0;
  let compressAt = -1;
  let at = 0;
  if (text[0] === ':') {
    if (text[1] !== ':') return null;
    at = 2;
    compressAt = 0;
  }
  while (at < text.length) {
    if (index === 8) return null;
    if (text[at] === ':') {
      if (compressAt !== -1) return null;
      at++;
      compressAt = index;
      continue;
    }
    const start = at;
    let value = 0;
    for (let digit; at - start < 4 && (digit = hexValue(StringPrototypeCharCodeAt(text, at))) >= 0; at++) {
      value = value * 16 + digit;
    }
    if (text[at] === '.') {
      if (at === start || !parseIpv4Tail(text, start, pieces, index)) return null;
      index += 2;
      break;
    }
    if (text[at] === ':') {
      if (++at === text.length) return null;
    } else if (at < text.length) {
      return null;
    }
    pieces[index++] = value;
  }
  if (compressAt === -1) return index === 8 ? pieces : null;
  // What follows the :: moves to the end.
  for (let from = index - 1, to = 7; from >= compressAt && to !== from; from--, to--) {
    pieces[to] = pieces[from];
    pieces[from] = 0;
  }
  return pieces;
}

// serializeIpv6(pieces): the first longest run of zeros, if longer than one, becomes ::.
function serializeIpv6(pieces) {
  let runStart = -1;
  let runLength = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && pieces[end] === 0) end++;
    if (end - i > runLength) {
      runStart = i;
      runLength = end - i;
    }
    if (end > i) i = end;
  }
  let text = '[';
  for (let i = 0; i < 8; i++) {
    if (i === runStart) {
      text += i === 0 ? '::' : ':';
      i += runLength - 1;
      continue;
    }
    text += NumberPrototypeToString(pieces[i], 16) + (i < 7 ? ':' : '');
  }
  return `${text}]`;
}

function parseDomain(text) {
  let domain = percentDecode(text);
  if (RegExpPrototypeExec(ascii, domain) !== null) {
    // What is ASCII already is taken as it is, even if its Punycode is broken: that never names anything else.
    domain = StringPrototypeToLowerCase(domain);
  } else {
    internal.load('url_idna');
    domain = internal.domainToAscii(domain);
  }
  if (domain === null || domain === '' || RegExpPrototypeExec(forbiddenDomain, domain) !== null) return null;
  return endsInNumber(domain) ? parseIpv4(domain) : domain;
}

// parseHost(text, isSpecial): the host's serialization, or null if it is none.
internal.parseHost = (text, isSpecial) => {
  if (text[0] === '[') {
    if (text[text.length - 1] !== ']') return null;
    const pieces = parseIpv6(StringPrototypeSlice(text, 1, text.length - 1));
    return pieces === null ? null : serializeIpv6(pieces);
  }
  if (isSpecial) return parseDomain(text);
  return RegExpPrototypeExec(forbiddenHost, text) !== null ? null : percentEncode(text, C0);
};
