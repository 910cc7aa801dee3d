// fetch: HTTP/1.1 over plain TCP. Connections that can be used again wait a while for the next request to their origin.
'use strict';

const {
  ArrayPrototypePop, ArrayPrototypePush, ArrayPrototypeIndexOf, ArrayPrototypeSplice, Number, NumberPrototypeToString,
  PromisePrototypeThen, SafeMap, StringPrototypeCharCodeAt, StringPrototypeIndexOf, StringPrototypeSlice, TypeError, TypedArrayPrototypeGetByteLength, TypedArrayPrototypeSet,
  TypedArrayPrototypeSubarray, Uint8Array,
} = internal.primordials;
const { Incoming, chunksOf, isWhole, makeBody, take } = internal.httpBody;
const { headersOf, makeState, newResponse, requestState } = internal.httpMessage;
const { httpChunks, httpChunksState, httpParseResponse } = native;

const REDIRECTS_MAX = 20;
// Servers mostly close after 5 seconds or more: so much less that the two rarely meet.
const IDLE_MS = 4000;
const IDLE_PER_ORIGIN_MAX = 32;

const empty = new Uint8Array(0);

function failure(message, cause) {
  const error = new TypeError(message);
  if (cause !== undefined) internal.defineHidden(error, 'cause', cause);
  return error;
}

// --- connections -----------------------------------------------------------------------------------------------------

const idle = new SafeMap(); // origin -> connections, the latest last

function forget(link) {
  const list = idle.get(link.origin);
  const index = list === undefined ? -1 : ArrayPrototypeIndexOf(list, link);
  if (index !== -1) ArrayPrototypeSplice(list, index, 1);
  if (list !== undefined && list.length === 0) idle.delete(link.origin);
}

// A connection, and what has arrived on it and is not used.
class Link {
  constructor(origin, connection) {
    this.origin = origin;
    this.connection = connection;
    this.rest = empty;
    this.isReused = false;
    this.timer = undefined;
    this.watching = undefined; // the read that tells, while it is idle, that the server closes it
    this.isClosed = false;
  }

  // read(): bytes, or null at the end.
  async read() {
    if (TypedArrayPrototypeGetByteLength(this.rest) > 0) {
      const bytes = this.rest;
      this.rest = empty;
      return bytes;
    }
    const { watching } = this;
    this.watching = undefined;
    return watching ?? this.connection.read();
  }

  close() {
    this.isClosed = true;
    this.connection.close();
  }

  // release(): to whoever is next.
  release() {
    const list = idle.get(this.origin) ?? [];
    if (this.isClosed || TypedArrayPrototypeGetByteLength(this.rest) > 0 || list.length >= IDLE_PER_ORIGIN_MAX) {
      this.close();
      return;
    }
    idle.set(this.origin, list);
    ArrayPrototypePush(list, this);
    this.connection.unref();
    this.timer = internal.setTimeout(() => this.drop(), IDLE_MS).unref();
    this.watching = this.connection.read();
    PromisePrototypeThen(this.watching, () => this.drop(), () => this.drop());
  }

  // drop(): it is no longer idle but gone.
  drop() {
    if (this.timer === undefined) return;
    this.timer.close();
    this.timer = undefined;
    forget(this);
    this.close();
  }

  reuse() {
    this.timer.close();
    this.timer = undefined;
    this.isReused = true;
    this.connection.ref();
    return this;
  }
}

async function linkTo(url, signal, mayReuse) {
  const list = mayReuse ? idle.get(url.host) : undefined;
  if (list !== undefined) {
    const link = ArrayPrototypePop(list);
    if (list.length === 0) idle.delete(url.host);
    return link.reuse();
  }
  const port = url.port === '' ? 80 : Number(url.port);
  return new Link(url.host, await internal.tcpConnect({ hostname: url.hostname, port, signal }));
}

// --- the request -----------------------------------------------------------------------------------------------------

const ours = {
  __proto__: null, connection: true, 'content-length': true, host: true, 'keep-alive': true, 'transfer-encoding': true,
};

function headOf(method, url, list, framing) {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n${framing}`;
  let hasAccept = false;
  let hasAgent = false;
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i];
    if (ours[name]) continue;
    if (name === 'accept') hasAccept = true;
    if (name === 'user-agent') hasAgent = true;
    head += `${name}: ${list[i + 1]}\r\n`;
  }
  if (!hasAccept) head += 'accept: */*\r\n';
  if (!hasAgent) head += `user-agent: fino/${native.version}\r\n`;
  return `${head}\r\n`;
}

function latin1Bytes(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = StringPrototypeCharCodeAt(text, i);
  return bytes;
}

function join(first, second) {
  const length = TypedArrayPrototypeGetByteLength(first);
  const bytes = new Uint8Array(length + TypedArrayPrototypeGetByteLength(second));
  TypedArrayPrototypeSet(bytes, first);
  TypedArrayPrototypeSet(bytes, second, length);
  return bytes;
}

const bodyBytes = (source) => (
  source === null ? empty : typeof source === 'string' ? native.utf8Encode(source) : source);

const hasBodyByNature = { __proto__: null, PATCH: true, POST: true, PUT: true };

async function sendWhole(link, method, url, list, source) {
  const bytes = bodyBytes(source);
  const length = TypedArrayPrototypeGetByteLength(bytes);
  const framing = source !== null || hasBodyByNature[method] ? `content-length: ${length}\r\n` : '';
  await link.connection.write(join(latin1Bytes(headOf(method, url, list, framing)), bytes));
}

async function sendStream(link, method, url, list, body) {
  const { connection } = link;
  await connection.write(latin1Bytes(headOf(method, url, list, 'transfer-encoding: chunked\r\n')));
  const chunks = chunksOf(body);
  for (;;) {
    const chunk = await chunks.next();
    if (chunk === null) break;
    const length = TypedArrayPrototypeGetByteLength(chunk);
    if (length === 0) continue;
    connection.write(`${NumberPrototypeToString(length, 16)}\r\n`);
    connection.write(chunk);
    await connection.write('\r\n');
  }
  await connection.write('0\r\n\r\n');
}

// --- the response ----------------------------------------------------------------------------------------------------

// The head of the final answer: those of status 1xx come before it.
async function readHead(link) {
  let bytes = empty;
  for (;;) {
    const more = await link.read();
    if (more === null) throw failure('The server closed the connection before it answered');
    link.hasAnswered = true;
    bytes = TypedArrayPrototypeGetByteLength(bytes) === 0 ? more : join(bytes, more);
    for (;;) {
      const parts = httpParseResponse(bytes);
      if (parts === undefined) break;
      bytes = TypedArrayPrototypeSubarray(bytes, parts[0]);
      if (parts[1] >= 200) {
        link.rest = bytes;
        return { status: parts[1], text: parts[2], length: parts[3], isChunked: parts[4], isPersistent: parts[5] };
      }
      if (parts[1] === 101) throw failure('The server switched to another protocol');
    }
  }
}

// The body of an answer: LEFT bytes, or chunks, or all until the connection ends (LEFT is -1). The process stays alive for
// it only while somebody waits to read it.
class FetchBody extends Incoming {
  constructor(link, left, isChunked, isPersistent, onDone) {
    super();
    this.link = link;
    this.left = left;
    this.chunks = isChunked ? httpChunksState() : undefined;
    this.isPersistent = isPersistent;
    this.onDone = onDone;
    this.isDone = false;
    this.error = undefined;
    link.connection.unref();
  }

  finish(isWhole) {
    if (this.isDone) return;
    this.isDone = true;
    if (isWhole && this.isPersistent && (this.chunks !== undefined || this.left !== -1)) this.link.release();
    else this.link.close();
    this.onDone();
  }

  async next() {
    const { link } = this;
    for (;;) {
      if (this.left === 0 && this.chunks === undefined) return null;
      link.connection.ref();
      const bytes = await link.read();
      link.connection.unref();
      if (bytes === null) {
        if (this.left === -1 && this.chunks === undefined) return null;
        throw failure('The server closed the connection in the middle of its answer');
      }
      if (this.chunks !== undefined) {
        const step = httpChunks(this.chunks, bytes);
        const data = step[0];
        link.rest = TypedArrayPrototypeSubarray(bytes, step[1]);
        if (step[2]) {
          this.left = 0;
          this.chunks = undefined;
        }
        if (TypedArrayPrototypeGetByteLength(data) > 0) return data;
        continue;
      }
      if (this.left === -1) return bytes;
      const taken = TypedArrayPrototypeSubarray(bytes, 0, this.left);
      const length = TypedArrayPrototypeGetByteLength(taken);
      link.rest = TypedArrayPrototypeSubarray(bytes, length);
      this.left -= length;
      return taken;
    }
  }

  async read() {
    if (this.isDone) {
      if (this.error !== undefined) throw this.error;
      return null;
    }
    try {
      const bytes = await this.next();
      if (bytes === null || (this.left === 0 && this.chunks === undefined)) this.finish(true);
      return bytes;
    } catch (error) {
      const first = this.error ??= error;
      this.finish(false);
      throw first;
    }
  }

  async cancel() { this.finish(false); }

  abort(reason) {
    if (this.isDone) return;
    this.error = reason;
    this.finish(false);
  }
}

const isBodiless = (method, status) => method === 'HEAD' || status === 204 || status === 304;

function reasonOf(text) {
  const line = StringPrototypeSlice(text, 0, StringPrototypeIndexOf(text, '\r\n'));
  return StringPrototypeSlice(line, 13);
}

function responseOf(link, method, url, head, onDone) {
  let source = null;
  if (isBodiless(method, head.status) || head.length === 0) {
    if (head.isPersistent) link.release();
    else link.close();
    onDone();
  } else {
    source = new FetchBody(link, head.length, head.isChunked, head.isPersistent, onDone);
  }
  const state = makeState(makeBody(source), null);
  state.status = head.status;
  state.statusText = reasonOf(head.text);
  state.headers = internal.headersOf(internal.parseFields(head.text, StringPrototypeIndexOf(head.text, '\r\n') + 2));
  state.url = url.href;
  return state;
}

// --- fetch -----------------------------------------------------------------------------------------------------------

const isIdempotent = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, PUT: true };

// exchange(...): one request and the state of its response. A connection that was idle may have been closed by the
// server just then: if nothing of an answer came, a request that may be repeated is, on a new connection.
async function exchange(method, url, list, body, signal) {
  for (let mayReuse = true; ; mayReuse = false) {
    const link = await linkTo(url, signal, mayReuse);
    let source;
    const undo = signal === undefined ? () => {} : internal.onAbort(signal, () => {
      if (source instanceof FetchBody) source.abort(signal.reason);
      else link.close();
    });
    try {
      signal?.throwIfAborted();
      link.hasAnswered = false;
      if (isWhole(body)) {
        await sendWhole(link, method, url, list, body.source);
      } else {
        // The server may answer before it has got all.
        PromisePrototypeThen(sendStream(link, method, url, list, body), undefined, () => link.close());
      }
      const head = await readHead(link);
      const state = responseOf(link, method, url, head, undo);
      source = state.body.source;
      return state;
    } catch (error) {
      undo();
      link.close();
      if (signal?.aborted) throw signal.reason;
      const repeats = link.isReused && !link.hasAnswered && isIdempotent[method] && isWhole(body);
      if (!repeats) throw error;
    }
  }
}

const isRedirect = { __proto__: null, 301: true, 302: true, 303: true, 307: true, 308: true };

function without(list, names) {
  const kept = [];
  for (let i = 0; i < list.length; i += 2) if (!names[list[i]]) ArrayPrototypePush(kept, list[i], list[i + 1]);
  return kept;
}

const ofBody = {
  __proto__: null, 'content-encoding': true, 'content-language': true, 'content-location': true, 'content-type': true,
  'content-length': true,
};
const ofOrigin = { __proto__: null, authorization: true, cookie: true, host: true, 'proxy-authorization': true };

function checkUrl(url) {
  if (url.protocol === 'https:') {
    throw failure(`fetch: ${url.href}: there is no TLS in fino: https can't be fetched`);
  }
  if (url.protocol !== 'http:') throw failure(`fetch: ${url.href}: only http can be fetched`);
}

async function fetchState(state, signal) {
  let { method } = state;
  let url = new internal.URL(state.url);
  let list = internal.headersList(headersOf(state));
  let { body } = state;
  for (let count = 0; ; count++) {
    checkUrl(url);
    const response = await exchange(method, url, list, body, signal);
    response.isRedirected = count > 0;
    const location = isRedirect[response.status] ? response.headers.get('location') : null;
    if (location === null || state.redirect === 'manual') return response;
    await response.body.source?.cancel();
    if (state.redirect === 'error') throw failure(`fetch: ${url.href}: a redirect, which 'error' does not allow`);
    if (count === REDIRECTS_MAX) throw failure(`fetch: ${state.url}: more than ${REDIRECTS_MAX} redirects`);
    const next = new internal.URL(location, url.href);
    const toGet = response.status === 303 ? method !== 'GET' && method !== 'HEAD' :
      response.status <= 302 && method === 'POST';
    if (toGet) {
      method = 'GET';
      body = makeBody(null);
      list = without(list, ofBody);
    } else if (!isWhole(body)) {
      throw failure(`fetch: ${url.href}: a redirect of a streamed body, which can't be sent twice`);
    }
    if (next.origin !== url.origin) list = without(list, ofOrigin);
    url = next;
  }
}

internal.fetch = async function fetch(input, init = undefined) {
  internal.needArguments(arguments.length, 1, 'fetch');
  const request = new internal.Request(input, init);
  const state = requestState(request);
  const { signal } = state;
  signal?.throwIfAborted();
  take(state.body);
  try {
    return newResponse(await fetchState(state, signal));
  } catch (error) {
    if (signal?.aborted || error instanceof TypeError) throw error;
    throw failure(`fetch: ${state.url} failed: ${error.message}`, error);
  }
};
