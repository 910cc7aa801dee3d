// class Request and class Response.
//
// Each has one plain state object. A Request that came to a server is cut out of its head when somebody asks: most
// handlers want no more than its URL. So for a Response's Headers: until somebody asks, its type is all there is.
'use strict';

const {
  JSONStringify, RangeError, RegExpPrototypeExec, StringPrototypeIndexOf, StringPrototypeSlice,
  StringPrototypeToUpperCase, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, describe, dictionary, illegalThis, needArguments, webInterface } = internal;
const { addBodyMethods, cloneBody, isUsed, makeBody, streamOf, toBody } = internal.httpBody;

const key = {}; // constructors called with it take their state as it is
const JSON_TYPE = 'application/json';

// --- Request ---------------------------------------------------------------------------------------------------------

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const usual = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };
const forbidden = { __proto__: null, CONNECT: true, TRACE: true, TRACK: true };

function toMethod(value) {
  const text = `${value}`;
  const upper = StringPrototypeToUpperCase(text);
  if (RegExpPrototypeExec(token, text) === null || forbidden[upper]) {
    throw new TypeError(`Request: there is no method ${describe(text)}`);
  }
  return usual[upper] ? upper : text;
}

function withType(list, type) {
  if (type === null) return;
  for (let i = 0; i < list.length; i += 2) if (list[i] === 'content-type') return;
  list[list.length] = 'content-type';
  list[list.length] = type;
}

const redirects = { __proto__: null, error: true, follow: true, manual: true };

function makeRequest(input, init) {
  const given = dictionary(init, 'Request: init');
  const from = requestState(input);
  const state = from === undefined ?
    { method: 'GET', url: new internal.URL(input).href, headers: undefined, body: makeBody(null), redirect: 'follow',
      signal: undefined, head: undefined } :
    { method: methodOf(from), url: urlOf(from), headers: undefined, body: from.body, redirect: from.redirect,
      signal: signalOf(from), head: undefined };
  if (given.method !== undefined) state.method = toMethod(given.method);
  if (given.signal !== undefined && given.signal !== null) {
    if (!internal.isAbortSignal(given.signal)) throw new TypeError('Request: signal must be an AbortSignal');
    state.signal = given.signal;
  }
  if (given.redirect !== undefined) {
    if (!redirects[given.redirect]) throw new TypeError(`Request: redirect can't be ${describe(given.redirect)}`);
    state.redirect = given.redirect;
  }
  state.headers = new internal.Headers(given.headers ?? (from === undefined ? undefined : headersOf(from)));
  if (given.body !== undefined && given.body !== null) {
    if (state.method === 'GET' || state.method === 'HEAD') {
      throw new TypeError(`Request: one of method ${state.method} has no body`);
    }
    const [body, type] = toBody(given.body, 'Request: body');
    state.body = body;
    withType(internal.headersList(state.headers), type);
  } else if (from !== undefined && from.body.source !== null) {
    if (isUsed(from.body)) throw new TypeError('Request: the body has been used already');
    state.body = { source: from.body.source, stream: from.body.stream, isUsed: false };
    from.body.isUsed = true;
  }
  return state;
}

// A state that has a head came to a server: method and target are its first words.
const methodOf = (state) => (state.method ??= StringPrototypeSlice(state.head, 0, state.methodEnd));

function headersOf(state) {
  if (state.headers === undefined) {
    const start = StringPrototypeIndexOf(state.head, '\r\n') + 2;
    state.headers = internal.headersOf(internal.parseFields(state.head, start));
  }
  return state.headers;
}

function urlOf(state) {
  if (state.url !== undefined) return state.url;
  const target = StringPrototypeSlice(state.head, state.methodEnd + 1, state.targetEnd);
  if (target[0] === '/') {
    const host = headersOf(state).get('host');
    state.url = `http://${host === null || host === '' ? state.origin.host : host}${target}`;
  } else {
    state.url = target === '*' ? `http://${headersOf(state).get('host') ?? state.origin.host}` : target;
  }
  return state.url;
}

function signalOf(state) {
  if (state.signal === undefined) {
    const controller = new internal.AbortController();
    state.signal = controller.signal;
    state.onAbortable?.(controller);
  }
  return state.signal;
}

let requestState; // requestState(value): the state of a Request, undefined for all else

class Request {
  #state;

  constructor(input, init = undefined) {
    if (input === key) {
      this.#state = init;
      return;
    }
    needArguments(arguments.length, 1, 'Request constructor');
    this.#state = makeRequest(input, init);
  }

  static {
    requestState = (value) => (
      typeof value === 'object' && value !== null && #state in value ? value.#state : undefined);
  }

  get method() { return methodOf(ownRequest(this)); }
  get url() { return urlOf(ownRequest(this)); }
  get headers() { return headersOf(ownRequest(this)); }
  get redirect() { return ownRequest(this).redirect; }
  get signal() { return signalOf(ownRequest(this)); }
  get body() { return streamOf(ownRequest(this).body); }
  get bodyUsed() { return isUsed(ownRequest(this).body); }

  clone() {
    const state = ownRequest(this);
    return new Request(key, {
      method: methodOf(state), url: urlOf(state), headers: new internal.Headers(headersOf(state)),
      body: cloneBody(state.body), redirect: state.redirect, signal: signalOf(state), head: undefined,
    });
  }
}

function ownRequest(value) {
  const state = requestState(value);
  if (state === undefined) throw illegalThis('Request');
  return state;
}
addBodyMethods(Request, (request) => ownRequest(request).body,
  (request) => headersOf(requestState(request)).get('content-type') ?? '');
webInterface(Request, 'Request');
defineHidden(Request.prototype, customInspect, function (depth, options, inspect) {
  const state = requestState(this);
  if (state === undefined) return this;
  return `Request ${inspect({ method: methodOf(state), url: urlOf(state), headers: headersOf(state) }, options)}`;
});

// --- Response --------------------------------------------------------------------------------------------------------

const reasonText = /^[\t\x20-\x7e\x80-\xff]*$/;

function toStatus(value, lowest) {
  const status = +value;
  if (!(status >= lowest && status <= 599 && status % 1 === 0)) {
    throw new RangeError(`Response: status must be from ${lowest} to 599, not ${describe(value)}`);
  }
  return status;
}

const isBodiless = (status) => status === 204 || status === 205 || status === 304;

function readInit(state, init, hasBody) {
  const given = dictionary(init, 'Response: init');
  if (given.status !== undefined) state.status = toStatus(given.status, 200);
  if (hasBody && isBodiless(state.status)) throw new TypeError(`Response: status ${state.status} goes without a body`);
  if (given.statusText !== undefined) {
    state.statusText = `${given.statusText}`;
    if (RegExpPrototypeExec(reasonText, state.statusText) === null) {
      throw new TypeError('Response: statusText has a character that can\'t be sent');
    }
  }
  if (given.headers === undefined) return;
  state.headers = new internal.Headers(given.headers);
  withType(internal.headersList(state.headers), state.type);
}

// TYPE: of the content, in place of headers until there are some.
const makeState = (body, type) => ({
  status: 200, statusText: '', type, headers: undefined, body, url: '', isRedirected: false, isError: false,
});

function responseHeaders(state) {
  if (state.headers === undefined) {
    state.headers = new internal.Headers();
    withType(internal.headersList(state.headers), state.type);
  }
  return state.headers;
}

let responseState; // responseState(value): the state of a Response, undefined for all else

class Response {
  #state;

  constructor(body = undefined, init = undefined) {
    if (body === key) {
      this.#state = init;
      return;
    }
    if (typeof body === 'string' && init === undefined) {
      this.#state = makeState(makeBody(body), 'text/plain;charset=UTF-8');
      return;
    }
    const [own, type] = toBody(body, 'Response: body');
    const state = makeState(own, type);
    if (init !== undefined) readInit(state, init, own.source !== null);
    this.#state = state;
  }

  static {
    responseState = (value) => (
      typeof value === 'object' && value !== null && #state in value ? value.#state : undefined);
  }

  static json(data, init = undefined) {
    const text = JSONStringify(data);
    if (text === undefined) throw new TypeError(`Response.json: ${describe(data)} is not a JSON value`);
    const state = makeState(makeBody(text), JSON_TYPE);
    if (init !== undefined) readInit(state, init, true);
    return new Response(key, state);
  }

  static redirect(url, status = 302) {
    const code = +status;
    if (code !== 301 && code !== 302 && code !== 303 && code !== 307 && code !== 308) {
      throw new RangeError(`Response.redirect: ${describe(status)} is not a status of redirects`);
    }
    const state = makeState(makeBody(null), null);
    state.status = code;
    state.headers = new internal.Headers([['location', `${url}`]]);
    return new Response(key, state);
  }

  static error() {
    const state = makeState(makeBody(null), null);
    state.status = 0;
    state.isError = true;
    return new Response(key, state);
  }

  get status() { return ownResponse(this).status; }
  get statusText() { return ownResponse(this).statusText; }
  get ok() {
    const { status } = ownResponse(this);
    return status >= 200 && status <= 299;
  }
  get headers() { return responseHeaders(ownResponse(this)); }
  get type() { return ownResponse(this).isError ? 'error' : 'default'; }
  get url() { return ownResponse(this).url; }
  get redirected() { return ownResponse(this).isRedirected; }
  get body() { return streamOf(ownResponse(this).body); }
  get bodyUsed() { return isUsed(ownResponse(this).body); }

  clone() {
    const state = ownResponse(this);
    const copy = { ...state, body: cloneBody(state.body) };
    if (state.headers !== undefined) copy.headers = new internal.Headers(state.headers);
    return new Response(key, copy);
  }
}

function ownResponse(value) {
  const state = responseState(value);
  if (state === undefined) throw illegalThis('Response');
  return state;
}
addBodyMethods(Response, (response) => ownResponse(response).body,
  (response) => responseHeaders(responseState(response)).get('content-type') ?? '');
webInterface(Response, 'Response');
defineHidden(Response.prototype, customInspect, function (depth, options, inspect) {
  const state = responseState(this);
  if (state === undefined) return this;
  const { status, statusText, url } = state;
  return `Response ${inspect({ status, statusText, url, headers: responseHeaders(state) }, options)}`;
});

internal.Request = Request;
internal.Response = Response;
internal.httpMessage = {
  __proto__: null,
  headersOf, makeState, methodOf, requestState, responseHeaders, responseState, signalOf, urlOf,
  newRequest: (state) => new Request(key, state),
  newResponse: (state) => new Response(key, state),
};
