// fino:net/http/server: serveHttp, also called serve. Connections, parsing and framing are C's (http_server.h); here is what happens
// between a request's head and the handler's answer.
'use strict';

const {
  Number, ObjectAssign, ObjectCreate, Promise, PromisePrototypeThen, PromiseReject, PromiseResolve, RangeError,
  SafeMap, StringPrototypeIncludes, StringPrototypeSlice, Symbol, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, describe, dictionary, needFunction } = internal;
const { Incoming, chunksOf, isWhole, makeBody } = internal.httpBody;
const { newRequest, responseState } = internal.httpMessage;
const { httpAbort, httpClose, httpEnd, httpListen, httpRead, httpRespond, httpWrite } = native;

// As in mod_http.c.
const METHOD_BITS = 6;
const EVENT_BODY = 0;
const EVENT_BODY_END = 1;
const EVENT_DRAIN = 2;
const EVENT_ABORT = 3;
const HAS_DATE = 1;
const CLOSES = 2;
const STREAM = 4;

const aborted = () => internal.makeDOMException('The client has gone away', 'AbortError');

// --- Exchanges -------------------------------------------------------------------------------------------------------

// A request whose handler is not done, as far as events can concern it. Most requests never have one.
class Exchange {
  constructor(id) {
    this.id = id;
    this.reading = undefined; // {resolve, reject} of the read that waits
    this.draining = undefined; // resolve of the write that waits
    this.controller = undefined; // of the request's signal
    this.error = undefined; // why it is over
  }

  end(error) {
    if (this.error !== undefined) return;
    this.error = error;
    exchanges.delete(this.id);
    this.reading?.reject(error);
    this.draining?.();
    this.reading = this.draining = undefined;
  }
}

const exchanges = new SafeMap(); // by id

function exchangeOf(id) {
  let exchange = exchanges.get(id);
  if (exchange === undefined) {
    exchange = new Exchange(id);
    exchanges.set(id, exchange);
  }
  return exchange;
}

// The body of a request that is still arriving. A read is one piece, asked for when it is wanted: the client can't send
// more than is taken.
class RequestBody extends Incoming {
  constructor(id) {
    super();
    this.id = id;
    this.exchange = undefined;
    this.isOver = false;
    this.isAnswered = false;
  }

  read() {
    if (this.isOver) return PromiseResolve(null);
    if (this.isAnswered) return PromiseReject(new TypeError('The body can\'t be read after the request was answered'));
    const exchange = this.exchange ??= exchangeOf(this.id);
    if (exchange.error !== undefined) return PromiseReject(exchange.error);
    return new Promise((resolve, reject) => {
      exchange.reading = {
        reject,
        resolve: (chunk) => {
          this.isOver = chunk === null;
          resolve(chunk);
        },
      };
      httpRead(this.id);
    });
  }

  async cancel() { this.isOver = true; }
}

const abortErrors = {
  __proto__: null, 400: 'The request\'s body is malformed', 408: 'The request\'s body took too long',
  413: 'The request\'s body is larger than bodyLimitBytes',
};

function onEvent(server, id, event, value) {
  if (event > EVENT_ABORT) {
    server.onClosed();
    return;
  }
  const exchange = exchanges.get(id);
  if (exchange === undefined) return;
  const { reading, draining } = exchange;
  if (event === EVENT_BODY || event === EVENT_BODY_END) {
    exchange.reading = undefined;
    reading?.resolve(event === EVENT_BODY ? value : null);
  } else if (event === EVENT_DRAIN) {
    exchange.draining = undefined;
    draining?.();
  } else {
    const error = value === 0 ? aborted() : new TypeError(abortErrors[value]);
    exchange.end(error);
    exchange.controller?.abort(error);
  }
}

// --- Answers ---------------------------------------------------------------------------------------------------------

const framing = {
  __proto__: null, connection: true, 'content-length': true, 'keep-alive': true, 'transfer-encoding': true,
};

// fieldsOf(state): [lines, flags, content-length or undefined]; framing is C's business.
function fieldsOf(state) {
  const list = internal.headersList(state.headers);
  let lines = '';
  let flags = 0;
  let length;
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i];
    const value = list[i + 1];
    if (framing[name]) {
      if (name === 'connection' && value === 'close') flags |= CLOSES;
      if (name === 'content-length') length = Number(value);
      continue;
    }
    if (name === 'date') flags |= HAS_DATE;
    lines += `${name}: ${value}\r\n`;
  }
  return [lines, flags, length];
}

const typeLines = new SafeMap(); // content type -> its line, for answers without other headers

function typeLine(type) {
  if (type === null) return '';
  let line = typeLines.get(type);
  if (line === undefined) {
    line = `content-type: ${type}\r\n`;
    typeLines.set(type, line);
  }
  return line;
}

async function sendStream(id, body, state) {
  const exchange = exchangeOf(id);
  let chunks;
  try {
    chunks = chunksOf(body);
    for (;;) {
      const chunk = await chunks.next();
      if (exchange.error !== undefined) break;
      if (chunk === null) {
        httpEnd(id);
        finish(id, state, exchange);
        return;
      }
      const left = httpWrite(id, chunk);
      if (left < 0) {
        if (exchange.error !== undefined) break;
        throw new RangeError('The answer is longer than its content-length');
      }
      if (left > 0) await new Promise((resolve) => { exchange.draining = resolve; });
      if (exchange.error !== undefined) break;
    }
    await chunks.cancel(exchange.error);
  } catch (error) {
    // Too late to say so: the client sees that the answer is cut off.
    if (exchange.error === undefined) {
      httpAbort(id);
      finish(id, state, exchange);
    }
    internal.console.error(error);
  }
}

// finish(id, state): the request is answered: nothing concerns it any more.
function finish(id, state, exchange = exchanges.get(id)) {
  const { source } = state.body;
  if (source instanceof RequestBody) source.isAnswered = true;
  exchange?.end(aborted());
}

// respond(id, state, response): answers the request of that state.
function respond(id, state, response) {
  const { body } = response;
  let lines;
  let flags = 0;
  let length;
  if (response.headers === undefined) lines = typeLine(response.type);
  else [lines, flags, length] = fieldsOf(response);
  const reason = response.statusText === '' ? undefined : response.statusText;
  if (response.isError) throw new TypeError('Response.error() is no answer');
  if (isWhole(body)) {
    httpRespond(id, response.status, reason, lines, body.source, flags, undefined);
    finish(id, state);
    return;
  }
  internal.httpBody.take(body);
  if (!httpRespond(id, response.status, reason, lines, undefined, flags | STREAM, length)) {
    finish(id, state);
    return;
  }
  sendStream(id, body, state);
}

function answerWith(server, id, state, value) {
  const response = responseState(value);
  if (response === undefined) {
    throw new TypeError(`serveHttp: the handler must return a Response, or a promise of one, not ${describe(value)}`);
  }
  respond(id, state, response);
}

const failure = () => responseState(new internal.Response('Internal Server Error', { status: 500 }));

// fail(server, id, request, state, error): the handler threw.
function fail(server, id, request, state, error) {
  const { source } = state.body;
  if (source instanceof RequestBody && source.exchange?.error !== undefined) return; // nobody waits for the answer
  const giveUp = (reason) => {
    internal.console.error(reason);
    respond(id, state, failure());
  };
  if (server.onError === undefined) {
    giveUp(error);
    return;
  }
  const answered = PromisePrototypeThen(new Promise((resolve) => {
    const { onError } = server;
    resolve(onError(error, request));
  }), (value) => answerWith(server, id, state, value));
  PromisePrototypeThen(answered, undefined, giveUp);
}

// --- Requests --------------------------------------------------------------------------------------------------------

// BODY: a string (ASCII) or bytes, null when there is none, undefined when it is still to come.
function makeState(server, id, head, info, body) {
  const methodEnd = info & ((1 << METHOD_BITS) - 1);
  return {
    head, methodEnd, targetEnd: methodEnd + 1 + (info >> METHOD_BITS), origin: server,
    method: undefined, url: undefined, headers: undefined, signal: undefined, redirect: 'follow',
    body: makeBody(body === undefined ? new RequestBody(id) : body),
    id, onAbortable,
  };
}

// A method of the state: somebody has asked for the request's signal.
function onAbortable(controller) {
  const { source } = this.body;
  if (source instanceof RequestBody && source.isAnswered) return;
  exchangeOf(this.id).controller = controller;
}

// onRequest(...): what C calls. A string is an answer of status 200 with that text.
function onRequest(server, id, head, info, body) {
  const state = makeState(server, id, head, info, body);
  const request = newRequest(state);
  let value;
  try {
    const { handler } = server;
    value = handler(request);
    const response = responseState(value);
    if (response !== undefined) {
      const { source } = response.body;
      if (typeof source === 'string' && response.headers === undefined && response.status === 200 &&
          response.type === 'text/plain;charset=UTF-8' && response.statusText === '' &&
          response.body.stream === undefined) {
        if (exchanges.size > 0 || body === undefined) finish(id, state);
        return source;
      }
      respond(id, state, response);
      return undefined;
    }
    if (typeof value?.then !== 'function') answerWith(server, id, state, value);
  } catch (error) {
    fail(server, id, request, state, error);
    return undefined;
  }
  PromisePrototypeThen(PromiseResolve(value), (settled) => {
    try {
      answerWith(server, id, state, settled);
    } catch (error) {
      fail(server, id, request, state, error);
    }
  }, (error) => fail(server, id, request, state, error));
  return undefined;
}

// --- serveHttp -------------------------------------------------------------------------------------------------------

function numberOption(options, name, fallback, lowest, highest) {
  const value = options[name];
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !(value >= lowest && value <= highest)) {
    throw new RangeError(`serveHttp: ${name} must be a number from ${lowest} to ${highest}, not ${describe(value)}`);
  }
  return value;
}

const LONGEST_MS = 2 ** 31 - 1;
const Infinity = 1 / 0;

class HttpServer {
  #id;
  #hostname;
  #port;
  #closed;

  constructor(listening, closed) {
    this.#id = listening[0];
    this.#hostname = listening[1];
    this.#port = listening[2];
    this.#closed = closed;
  }

  get hostname() { return this.#hostname; }
  get port() { return this.#port; }
  get url() {
    const host = StringPrototypeIncludes(this.#hostname, ':') ? `[${this.#hostname}]` : this.#hostname;
    return `http://${host}:${this.#port}/`;
  }
  // It listens by now: a promise for symmetry with servers that take longer.
  get ready() { return PromiseResolve(this); }
  get closed() { return this.#closed; }

  close(options = undefined) {
    const { force = false } = dictionary(options, 'close: options');
    httpClose(this.#id, force === true);
    return this.#closed;
  }

  [Symbol.asyncDispose]() { return this.close(); }
  [Symbol.dispose]() { this.close(); }
}
defineHidden(HttpServer.prototype, customInspect, function (depth, options, inspect) {
  if (!(this instanceof HttpServer) || this === HttpServer.prototype) return this;
  return `HttpServer ${inspect({ url: this.url }, options)}`;
});

// acceptor(accept): what C asks of each connection.
function acceptor(accept) {
  if (accept === undefined) return undefined;
  needFunction(accept, 'serveHttp: accept');
  return (remoteAddress, remotePort) => {
    const answer = accept({ remoteAddress, remotePort });
    if (typeof answer !== 'boolean') throw new TypeError(`serveHttp: accept must return a boolean, not ${describe(answer)}`);
    return answer;
  };
}

function serveHttp(options, handler) {
  if (typeof options === 'function' && handler === undefined) return serveHttp({}, options);
  const given = dictionary(options, 'serveHttp: options');
  needFunction(handler, 'serveHttp: handler');
  const hostname = given.hostname === undefined ? '127.0.0.1' : `${given.hostname}`;
  if (given.onError !== undefined) needFunction(given.onError, 'serveHttp: onError');
  const server = { handler, onError: given.onError, host: '', onClosed: undefined };
  const closed = new Promise((resolve) => { server.onClosed = () => resolve(undefined); });
  const listening = httpListen(
    hostname,
    numberOption(given, 'port', 0, 0, 65535),
    numberOption(given, 'backlog', 511, 1, 65535),
    given.reusePort === true,
    numberOption(given, 'headersLimitBytes', 16384, 256, 1 << 20),
    numberOption(given, 'headersLimitCount', 100, 1, 10000),
    numberOption(given, 'bodyLimitBytes', 64 << 20, 0, Infinity),
    numberOption(given, 'headersTimeoutMs', 10000, 0, LONGEST_MS),
    numberOption(given, 'idleTimeoutMs', 60000, 0, LONGEST_MS),
    (id, head, info, body) => onRequest(server, id, head, info, body),
    (id, event, value) => onEvent(server, id, event, value),
    acceptor(given.accept),
  );
  const result = new HttpServer(listening, closed);
  server.host = StringPrototypeSlice(result.url, 7, -1);
  return result;
}

const exported = { __proto__: null, HttpServer, serve: serveHttp, serveHttp };
internal.httpServerModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
