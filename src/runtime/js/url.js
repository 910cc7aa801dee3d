// class URL: attributes and setters of the URL Standard, over the records of url_parser.js.
'use strict';

internal.load('url_parser');

const {
  ArrayPrototypePush, RegExpPrototypeExec, StringPrototypeSlice, StringPrototypeToLowerCase, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, illegalThis, needArguments, parseHost, webInterface } = internal;
const { FRAGMENT, USERINFO, percentEncode } = internal.urlEncode;
const {
  authorityEnd, encodeQuery, hostEnd, hostText, isSpecial, parseUrl, pathText, schemeHead, serializeUrl, setPath,
  setPort, special, withoutBlanks,
} = internal.urlParser;

const leadingDigits = /^[0-9]+/;

function invalidUrl(input, base) {
  const error = new TypeError('Invalid URL');
  error.code = 'ERR_INVALID_URL';
  error.input = input;
  if (base !== undefined) error.base = base;
  return error;
}

const cannotHaveCredentials = (url) => url.host === null || url.host === '' || url.scheme === 'file';

// parseWithBase(input, base): a record, or null.
function parseWithBase(input, base) {
  if (base === undefined) return parseUrl(input, null);
  const baseUrl = parseUrl(base, null);
  return baseUrl === null ? null : parseUrl(input, baseUrl);
}

function setScheme(url, text) {
  const found = RegExpPrototypeExec(schemeHead, `${withoutBlanks(text)}:`);
  if (found === null) return;
  const scheme = StringPrototypeToLowerCase(found[0]);
  if ((special[scheme] !== undefined) !== isSpecial(url)) return;
  if (scheme === 'file' && (url.username !== '' || url.password !== '' || url.port !== null)) return;
  if (url.scheme === 'file' && url.host === '') return;
  url.scheme = scheme;
  if (url.port === special[scheme]) url.port = null;
}

// setHost(url, text, withPort): the host and, if there is one and it is wanted, the port.
function setHost(url, text, withPort) {
  if (typeof url.path === 'string') return;
  text = withoutBlanks(text);
  text = StringPrototypeSlice(text, 0, authorityEnd(url, text));
  if (url.scheme === 'file') {
    const host = text === '' ? '' : parseHost(text, true);
    if (host !== null) url.host = host === 'localhost' ? '' : host;
    return;
  }
  const colon = hostEnd(text);
  const hasColon = colon < text.length;
  const name = StringPrototypeSlice(text, 0, colon);
  if (hasColon && (name === '' || !withPort)) return;
  if (name === '' && (isSpecial(url) || url.username !== '' || url.password !== '' || url.port !== null)) return;
  const host = parseHost(name, isSpecial(url));
  if (host === null) return;
  url.host = host;
  if (hasColon) setPortPrefix(url, StringPrototypeSlice(text, colon + 1));
}

// Digits count up to the first character that is none.
function setPortPrefix(url, text) {
  const found = RegExpPrototypeExec(leadingDigits, text);
  if (found !== null) setPort(url, found[0]);
}

// without(text, character): less this character at its start.
const without = (text, character) => (text[0] === character ? StringPrototypeSlice(text, 1) : text);

let recordOf; // recordOf(url): after a brand check
let changed; // changed(url): its record was changed; the serialization is made anew when asked for

class URL {
  #record;
  #href = undefined;
  #params = undefined;

  constructor(url, base = undefined) {
    needArguments(arguments.length, 1, 'URL constructor');
    const input = `${url}`;
    const baseInput = base === undefined ? undefined : `${base}`;
    this.#record = parseWithBase(input, baseInput);
    if (this.#record === null) throw invalidUrl(input, baseInput);
  }

  static {
    recordOf = (url) => {
      if (typeof url !== 'object' || url === null || !(#record in url)) throw illegalThis('URL');
      return url.#record;
    };
    changed = (url) => { url.#href = undefined; };
    // setUrlQuery(url, text): called by the URL's own URLSearchParams.
    internal.setUrlQuery = (url, text) => {
      url.#record.query = text === '' ? null : text;
      changed(url);
    };
  }

  static canParse(url, base = undefined) {
    needArguments(arguments.length, 1, 'URL.canParse');
    return parseWithBase(`${url}`, base === undefined ? undefined : `${base}`) !== null;
  }

  static parse(url, base = undefined) {
    needArguments(arguments.length, 1, 'URL.parse');
    const record = parseWithBase(`${url}`, base === undefined ? undefined : `${base}`);
    return record === null ? null : new URL(serializeUrl(record));
  }

  get href() {
    const record = recordOf(this);
    return this.#href ??= serializeUrl(record);
  }

  set href(value) {
    recordOf(this);
    const input = `${value}`;
    const record = parseUrl(input, null);
    if (record === null) throw invalidUrl(input);
    this.#record = record;
    this.#href = undefined;
    this.#queryChanged();
  }

  get origin() {
    const url = recordOf(this);
    if (url.scheme === 'blob') return blobOrigin(url);
    if (!isSpecial(url) || url.scheme === 'file') return 'null';
    return `${url.scheme}://${hostText(url)}`;
  }

  get protocol() { return `${recordOf(this).scheme}:`; }
  set protocol(value) { this.#change(setScheme, value); }

  get username() { return recordOf(this).username; }
  set username(value) {
    this.#change((url, text) => {
      if (!cannotHaveCredentials(url)) url.username = percentEncode(text, USERINFO);
    }, value);
  }

  get password() { return recordOf(this).password; }
  set password(value) {
    this.#change((url, text) => {
      if (!cannotHaveCredentials(url)) url.password = percentEncode(text, USERINFO);
    }, value);
  }

  get host() { return hostText(recordOf(this)); }
  set host(value) { this.#change((url, text) => setHost(url, text, true), value); }

  get hostname() { return recordOf(this).host ?? ''; }
  set hostname(value) { this.#change((url, text) => setHost(url, text, false), value); }

  get port() {
    const { port } = recordOf(this);
    return port === null ? '' : `${port}`;
  }

  set port(value) {
    this.#change((url, text) => {
      if (cannotHaveCredentials(url)) return;
      if (text === '') url.port = null;
      else setPortPrefix(url, withoutBlanks(text));
    }, value);
  }

  get pathname() { return pathText(recordOf(this)); }
  set pathname(value) {
    this.#change((url, text) => {
      if (typeof url.path === 'string') return;
      url.path = [];
      setPath(url, withoutBlanks(text));
      if (url.path.length === 0 && url.host === null) ArrayPrototypePush(url.path, '');
    }, value);
  }

  get search() {
    const { query } = recordOf(this);
    return query === null || query === '' ? '' : `?${query}`;
  }

  set search(value) {
    this.#change((url, text) => {
      url.query = text === '' ? null : encodeQuery(url, withoutBlanks(without(text, '?')));
    }, value);
    this.#queryChanged();
  }

  get searchParams() {
    const { query } = recordOf(this);
    if (this.#params === undefined) {
      internal.load('url_search_params');
      this.#params = internal.makeUrlParams(this, query ?? '');
    }
    return this.#params;
  }

  get hash() {
    const { fragment } = recordOf(this);
    return fragment === null || fragment === '' ? '' : `#${fragment}`;
  }

  set hash(value) {
    this.#change((url, text) => {
      url.fragment = text === '' ? null : percentEncode(withoutBlanks(without(text, '#')), FRAGMENT);
    }, value);
  }

  toString() { return this.href; }
  toJSON() { return this.href; }

  #change(setter, value) {
    const url = recordOf(this);
    setter(url, `${value}`);
    this.#href = undefined;
  }

  #queryChanged() {
    if (this.#params !== undefined) internal.resetUrlParams(this.#params, this.#record.query ?? '');
  }
}
webInterface(URL, 'URL');
defineHidden(URL.prototype, customInspect, function (depth, options, inspect) {
  if (typeof this !== 'object' || this === null || this === URL.prototype || !(this instanceof URL) || depth < 0) {
    return this;
  }
  const names = [
    'href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search',
    'searchParams', 'hash',
  ];
  const shown = {};
  for (let i = 0; i < names.length; i++) shown[names[i]] = this[names[i]];
  return `URL ${inspect(shown, options)}`;
});

function blobOrigin(url) {
  const inner = parseUrl(pathText(url), null);
  if (inner === null || (inner.scheme !== 'http' && inner.scheme !== 'https')) return 'null';
  return `${inner.scheme}://${hostText(inner)}`;
}

internal.URL = URL;
