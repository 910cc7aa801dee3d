// class WritableStream: a queue of chunks before a sink that takes one at a time, with default writers. After the Streams
// Standard, whose state machine this is: writable, erroring (what is in flight ends first), errored, closed.
//
// A stream and its controller are one plain state object, a writer's own part is {state, ready, closed}.
'use strict';

const {
  ArrayPrototypePush, ArrayPrototypeShift, PromisePrototypeThen, PromiseReject, PromiseResolve, RangeError, ReflectApply,
  TypeError,
} = internal.primordials;
const { customInspect, defineHidden, illegalThis, webInterface } = internal;
const { Deferred, SizedQueue, callback, highWaterMarkOf, invoke, object, strategy } = internal.streamBase;

const key = {}; // only fino makes controllers, and streams of a state
const endMark = {}; // in the queue: close() was called

const none = () => PromiseResolve(undefined);

// --- the stream's state ----------------------------------------------------------------------------------------------

// ALGORITHMS: write, close and abort, which return promises.
const makeState = (algorithms, highWaterMark, size) => ({
  status: 'writable', error: undefined, writer: undefined,
  queue: new SizedQueue(), highWaterMark, size, isStarted: false, hasBackpressure: false,
  write: algorithms.write, close: algorithms.close, abort: algorithms.abort,
  writes: [], // of what is in the queue
  writing: undefined, // in flight
  closeRequest: undefined, closing: undefined, // queued, in flight
  aborting: undefined, // {deferred, reason, wasErroring}
  controller: undefined, abortController: undefined,
});

const isClosing = (state) => state.closeRequest !== undefined || state.closing !== undefined;
const desiredSize = (state) => (
  state.status === 'errored' || state.status === 'erroring' ? null : state.status === 'closed' ? 0 :
    state.highWaterMark - state.queue.total);

function forgetAlgorithms(state) {
  state.write = state.close = state.abort = none;
  state.size = undefined;
}

// begin(state, started): STARTED is the promise of what start() returned.
function begin(state, started) {
  setBackpressure(state, desiredSize(state) <= 0);
  PromisePrototypeThen(started, () => {
    state.isStarted = true;
    advance(state);
  }, (error) => {
    state.isStarted = true;
    reject(state, error);
  });
}

function setBackpressure(state, has) {
  const { writer } = state;
  if (writer !== undefined && has !== state.hasBackpressure) {
    if (has) writer.ready = new Deferred();
    else writer.ready.resolve(undefined);
  }
  state.hasBackpressure = has;
}

// --- errors ----------------------------------------------------------------------------------------------------------

function startErroring(state, reason) {
  state.status = 'erroring';
  state.error = reason;
  if (state.writer !== undefined) refuseReady(state.writer, reason);
  if (state.writing === undefined && state.closing === undefined && state.isStarted) finishErroring(state);
}

function finishErroring(state) {
  state.status = 'errored';
  state.queue.clear();
  const { error, writes, aborting } = state;
  state.writes = [];
  for (let i = 0; i < writes.length; i++) writes[i].reject(error);
  if (aborting === undefined) {
    refuseClosed(state);
    return;
  }
  state.aborting = undefined;
  if (aborting.wasErroring) {
    aborting.deferred.reject(error);
    refuseClosed(state);
    return;
  }
  const { abort } = state;
  forgetAlgorithms(state);
  PromisePrototypeThen(abort(aborting.reason), () => {
    aborting.deferred.resolve(undefined);
    refuseClosed(state);
  }, (reason) => {
    aborting.deferred.reject(reason);
    refuseClosed(state);
  });
}

// refuseClosed(state): those who wait for its end hear of the error.
function refuseClosed(state) {
  state.closeRequest?.reject(state.error);
  state.closeRequest = undefined;
  state.writer?.closed.reject(state.error).quiet();
}

function reject(state, error) {
  if (state.status === 'writable') startErroring(state, error);
  else finishErroring(state);
}

function fail(state, error) {
  if (state.status !== 'writable') return;
  forgetAlgorithms(state);
  startErroring(state, error);
}

// --- chunks ----------------------------------------------------------------------------------------------------------

function advance(state) {
  if (!state.isStarted || state.writing !== undefined) return;
  if (state.status === 'erroring') finishErroring(state);
  else if (state.queue.isEmpty) return;
  else if (state.queue.first === endMark) sendEnd(state);
  else sendChunk(state);
}

function sendChunk(state) {
  const writing = ArrayPrototypeShift(state.writes);
  state.writing = writing;
  PromisePrototypeThen(state.write(state.queue.first, state.controller), () => {
    state.writing = undefined;
    writing.resolve(undefined);
    state.queue.shift();
    if (!isClosing(state) && state.status === 'writable') setBackpressure(state, desiredSize(state) <= 0);
    advance(state);
  }, (error) => {
    if (state.status === 'writable') forgetAlgorithms(state);
    state.writing = undefined;
    writing.reject(error);
    reject(state, error);
  });
}

function sendEnd(state) {
  const closing = state.closeRequest;
  state.closeRequest = undefined;
  state.closing = closing;
  state.queue.shift();
  const sent = state.close();
  forgetAlgorithms(state);
  PromisePrototypeThen(sent, () => {
    state.closing = undefined;
    closing.resolve(undefined);
    if (state.status === 'erroring') {
      state.error = undefined; // too late
      state.aborting?.deferred.resolve(undefined);
      state.aborting = undefined;
    }
    state.status = 'closed';
    state.writer?.closed.resolve(undefined);
  }, (error) => {
    state.closing = undefined;
    closing.reject(error);
    state.aborting?.deferred.reject(error);
    state.aborting = undefined;
    reject(state, error);
  });
}

function sizeOf(state, chunk) {
  if (state.size === undefined) return 1;
  try {
    return ReflectApply(state.size, undefined, [chunk]);
  } catch (error) {
    fail(state, error);
    return 1;
  }
}

function write(own, chunk) {
  const { state } = own;
  const size = sizeOf(state, chunk);
  if (own.state !== state) return PromiseReject(new TypeError('write: the writer was released'));
  if (state.status === 'errored') return PromiseReject(state.error);
  if (isClosing(state) || state.status === 'closed') return PromiseReject(new TypeError('write: the stream is closed'));
  if (state.status === 'erroring') return PromiseReject(state.error);
  const deferred = new Deferred();
  ArrayPrototypePush(state.writes, deferred);
  try {
    state.queue.push(chunk, size);
  } catch (error) {
    fail(state, error);
    return deferred.promise;
  }
  setBackpressure(state, desiredSize(state) <= 0);
  advance(state);
  return deferred.promise;
}

function close(state) {
  if (state.status === 'closed' || state.status === 'errored') {
    return PromiseReject(new TypeError(`close: the stream is ${state.status}`));
  }
  if (isClosing(state)) return PromiseReject(new TypeError('close: the stream is closed already'));
  const deferred = new Deferred();
  state.closeRequest = deferred;
  if (state.hasBackpressure && state.status === 'writable') state.writer?.ready.resolve(undefined);
  state.queue.push(endMark, 0);
  advance(state);
  return deferred.promise;
}

// closeAfter(state): close as the end of a pipe: that it is closed already is fine.
function closeAfter(state) {
  if (isClosing(state) || state.status === 'closed') return PromiseResolve(undefined);
  return state.status === 'errored' ? PromiseReject(state.error) : close(state);
}

function abort(state, reason) {
  const isOver = () => state.status === 'closed' || state.status === 'errored';
  if (isOver()) return PromiseResolve(undefined);
  state.abortController.abort(reason);
  if (isOver()) return PromiseResolve(undefined);
  if (state.aborting !== undefined) return state.aborting.deferred.promise;
  const wasErroring = state.status === 'erroring';
  const deferred = new Deferred();
  state.aborting = { deferred, reason: wasErroring ? undefined : reason, wasErroring };
  if (!wasErroring) startErroring(state, reason);
  return deferred.promise;
}

// --- writers ---------------------------------------------------------------------------------------------------------

function acquire(state) {
  if (state.writer !== undefined) throw new TypeError('The stream is locked to another writer');
  const { status, error } = state;
  const own = { state, ready: new Deferred(), closed: new Deferred() };
  state.writer = own;
  if (status === 'closed') own.closed.resolve(undefined);
  else if (status === 'errored') own.closed.reject(error).quiet();
  if (status === 'erroring' || status === 'errored') own.ready.reject(error).quiet();
  else if (status === 'closed' || isClosing(state) || !state.hasBackpressure) own.ready.resolve(undefined);
  return own;
}

function refuseReady(own, error) {
  if (!own.ready.isPending) own.ready = new Deferred();
  own.ready.reject(error).quiet();
}

function release(own) {
  const { state } = own;
  const error = new TypeError('The writer was released');
  refuseReady(own, error);
  if (!own.closed.isPending) own.closed = new Deferred();
  own.closed.reject(error).quiet();
  state.writer = own.state = undefined;
}

// --- classes ---------------------------------------------------------------------------------------------------------

class WritableStreamDefaultController {
  #state;

  constructor(caller, state) {
    if (caller !== key) throw new TypeError('Illegal constructor');
    this.#state = state;
  }

  get signal() { return this.#state.abortController.signal; }
  error(reason = undefined) { fail(this.#state, reason); }
}
webInterface(WritableStreamDefaultController, 'WritableStreamDefaultController');

let stateOf; // stateOf(stream): its state; throws unless it is one

// A method of a writer that returns a promise: `use` gets its part, whose stream it must not have released.
function usingWriter(own, name, use) {
  if (own === undefined) return PromiseReject(illegalThis('WritableStreamDefaultWriter'));
  if (own.state === undefined) return PromiseReject(new TypeError(`${name}: the writer was released`));
  return use(own);
}

class WritableStreamDefaultWriter {
  #own;

  constructor(stream) { this.#own = acquire(stateOf(stream)); }

  get closed() {
    return #own in this ? this.#own.closed.promise : PromiseReject(illegalThis('WritableStreamDefaultWriter'));
  }

  get ready() {
    return #own in this ? this.#own.ready.promise : PromiseReject(illegalThis('WritableStreamDefaultWriter'));
  }

  get desiredSize() {
    if (this.#own.state === undefined) throw new TypeError('desiredSize: the writer was released');
    return desiredSize(this.#own.state);
  }

  write(chunk = undefined) {
    return usingWriter(#own in this ? this.#own : undefined, 'write', (own) => write(own, chunk));
  }

  close() {
    return usingWriter(#own in this ? this.#own : undefined, 'close', ({ state }) => close(state));
  }

  abort(reason = undefined) {
    return usingWriter(#own in this ? this.#own : undefined, 'abort', ({ state }) => abort(state, reason));
  }

  releaseLock() {
    if (this.#own.state !== undefined) release(this.#own);
  }
}
webInterface(WritableStreamDefaultWriter, 'WritableStreamDefaultWriter');

class WritableStream {
  #state;

  constructor(sink = undefined, given = undefined) {
    if (sink === key) {
      this.#state = given;
      return;
    }
    const to = object(sink, 'WritableStream: sink');
    const { highWaterMark, size } = strategy(given, 'WritableStream: strategy');
    const onAbort = callback(to, 'abort', 'WritableStream: sink');
    const onClose = callback(to, 'close', 'WritableStream: sink');
    const start = callback(to, 'start', 'WritableStream: sink');
    if (to.type !== undefined) throw new RangeError('WritableStream: there are no types of sinks');
    const onWrite = callback(to, 'write', 'WritableStream: sink');
    const state = makeState({
      abort: onAbort === undefined ? none : (reason) => invoke(onAbort, to, [reason]),
      close: onClose === undefined ? none : () => invoke(onClose, to, []),
      write: onWrite === undefined ? none : (chunk, controller) => invoke(onWrite, to, [chunk, controller]),
    }, highWaterMarkOf({ highWaterMark }, 1), size);
    this.#state = state;
    addControllers(state);
    begin(state, PromiseResolve(start === undefined ? undefined : ReflectApply(start, to, [state.controller])));
  }

  static {
    stateOf = (stream) => {
      if (!isWritableStream(stream)) throw illegalThis('WritableStream');
      return stream.#state;
    };
    internal.isWritableStream = isWritableStream;
    function isWritableStream(value) {
      return typeof value === 'object' && value !== null && #state in value;
    }
  }

  get locked() { return stateOf(this).writer !== undefined; }
  getWriter() { return new WritableStreamDefaultWriter(this); }
  abort(reason = undefined) { return usingStream(this, 'abort', (state) => abort(state, reason)); }
  close() { return usingStream(this, 'close', close); }
}
webInterface(WritableStream, 'WritableStream');
defineHidden(WritableStream.prototype, customInspect, function (depth, options, inspect) {
  if (!internal.isWritableStream(this)) return this;
  const { status, writer } = stateOf(this);
  return `WritableStream ${inspect({ locked: writer !== undefined, state: status }, options)}`;
});

function usingStream(stream, name, use) {
  if (!internal.isWritableStream(stream)) return PromiseReject(illegalThis('WritableStream'));
  const state = stateOf(stream);
  return state.writer === undefined ? use(state) : PromiseReject(new TypeError(`${name}: the stream is locked`));
}

function addControllers(state) {
  state.abortController = new internal.AbortController();
  state.controller = new WritableStreamDefaultController(key, state);
}

// makeStream(algorithms, highWaterMark, size, started): a stream whose sink is fino's: [stream, state].
function makeStream(algorithms, highWaterMark, size, started) {
  const state = makeState(algorithms, highWaterMark, size);
  addControllers(state);
  begin(state, started);
  return [new WritableStream(key, state), state];
}

internal.WritableStream = WritableStream;
internal.WritableStreamDefaultController = WritableStreamDefaultController;
internal.WritableStreamDefaultWriter = WritableStreamDefaultWriter;
internal.writableParts = {
  __proto__: null, abort, acquire, closeAfter, fail, isClosing, makeStream, release, stateOf, write,
};
