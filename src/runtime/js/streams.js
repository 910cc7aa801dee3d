// class ReadableStream: a queue between one who enqueues when asked and one who reads, with default readers. After the
// Streams Standard; of byte streams there is the type, but no reader that brings its own buffer.
//
// A stream and its controller are one plain state object. A read is a request {chunk(value), close(), error(reason)}, so
// that what only passes chunks on (pipeTo, tee) makes no promises that user code could see.
'use strict';

const {
  ArrayPrototypePush, ArrayPrototypeShift, ObjectCreate, ObjectGetPrototypeOf, PromisePrototypeThen, PromiseReject,
  PromiseResolve, ReflectApply, SafeWeakMap, SymbolAsyncIterator, SymbolIterator, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, describe, dictionary, illegalThis, webInterface } = internal;
const { Deferred, SizedQueue, callback, highWaterMarkOf, invoke, object, quiet, strategy } = internal.streamBase;

const key = {}; // only fino makes controllers, and streams of a state

const noop = () => {};
const none = () => PromiseResolve(undefined);

// --- the stream's state ----------------------------------------------------------------------------------------------

// ALGORITHMS: pull and cancel, which return promises. start() is called by begin.
const makeState = (algorithms, highWaterMark, size) => ({
  status: 'readable', error: undefined, reader: undefined, isDisturbed: false,
  queue: new SizedQueue(), highWaterMark, size,
  isPulling: false, pullsAgain: false, isStarted: false, closes: false,
  pull: algorithms.pull, cancel: algorithms.cancel, controller: undefined,
});

const desiredSize = (state) => (
  state.status === 'errored' ? null : state.status === 'closed' ? 0 : state.highWaterMark - state.queue.total);
const canEnqueue = (state) => state.status === 'readable' && !state.closes;
const waitsForChunk = (state) => state.reader !== undefined && state.reader.requests.length > 0;
const wantsMore = (state) => (
  canEnqueue(state) && state.isStarted && (waitsForChunk(state) || desiredSize(state) > 0));

function forgetAlgorithms(state) {
  state.pull = state.cancel = none;
  state.size = undefined;
}

// begin(state, started): STARTED is the promise of what start() returned.
function begin(state, started) {
  PromisePrototypeThen(started, () => {
    state.isStarted = true;
    pullIfNeeded(state);
  }, (error) => fail(state, error));
}

// finish(state): everything that was enqueued has been read.
function finish(state) {
  state.status = 'closed';
  forgetAlgorithms(state);
  const { reader } = state;
  if (reader === undefined) return;
  reader.closed.resolve(undefined);
  const { requests } = reader;
  reader.requests = [];
  for (let i = 0; i < requests.length; i++) requests[i].close();
}

function fail(state, error) {
  if (state.status !== 'readable') return;
  state.queue.clear();
  forgetAlgorithms(state);
  state.status = 'errored';
  state.error = error;
  const { reader } = state;
  if (reader === undefined) return;
  reader.closed.reject(error).quiet();
  refuseRequests(reader, error);
}

function refuseRequests(reader, error) {
  const { requests } = reader;
  reader.requests = [];
  for (let i = 0; i < requests.length; i++) requests[i].error(error);
}

function pullIfNeeded(state) {
  if (!wantsMore(state)) return;
  if (state.isPulling) {
    state.pullsAgain = true;
    return;
  }
  state.isPulling = true;
  PromisePrototypeThen(state.pull(state.controller), () => {
    state.isPulling = false;
    if (!state.pullsAgain) return;
    state.pullsAgain = false;
    pullIfNeeded(state);
  }, (error) => fail(state, error));
}

function enqueue(state, chunk) {
  if (waitsForChunk(state)) {
    ArrayPrototypeShift(state.reader.requests).chunk(chunk);
  } else {
    try {
      state.queue.push(chunk, state.size === undefined ? 1 : ReflectApply(state.size, undefined, [chunk]));
    } catch (error) {
      fail(state, error);
      throw error;
    }
  }
  pullIfNeeded(state);
}

function close(state) {
  state.closes = true;
  if (state.queue.isEmpty) finish(state);
}

function read(state, request) {
  state.isDisturbed = true;
  if (state.status === 'errored') {
    request.error(state.error);
  } else if (state.status === 'closed') {
    request.close();
  } else if (!state.queue.isEmpty) {
    const chunk = state.queue.shift();
    if (state.closes && state.queue.isEmpty) finish(state);
    else pullIfNeeded(state);
    request.chunk(chunk);
  } else {
    ArrayPrototypePush(state.reader.requests, request);
    pullIfNeeded(state);
  }
}

// readPromise(state): what read() returns.
function readPromise(state) {
  const deferred = new Deferred();
  read(state, {
    chunk: (value) => { deferred.resolve({ value, done: false }); },
    close: () => { deferred.resolve({ value: undefined, done: true }); },
    error: (reason) => { deferred.reject(reason); },
  });
  return deferred.promise;
}

function cancel(state, reason) {
  state.isDisturbed = true;
  if (state.status === 'closed') return PromiseResolve(undefined);
  if (state.status === 'errored') return PromiseReject(state.error);
  const algorithm = state.cancel;
  finish(state);
  state.queue.clear();
  return PromisePrototypeThen(algorithm(reason), noop);
}

// --- readers ---------------------------------------------------------------------------------------------------------

// acquire(state): a reader's own part: {state, requests, closed}.
function acquire(state) {
  if (state.reader !== undefined) throw new TypeError('The stream is locked to another reader');
  const own = { state, requests: [], closed: new Deferred().quiet() };
  state.reader = own;
  if (state.status === 'closed') own.closed.resolve(undefined);
  else if (state.status === 'errored') own.closed.reject(state.error);
  return own;
}

function release(own) {
  const { state } = own;
  const error = new TypeError('The reader was released');
  if (!own.closed.isPending) own.closed = new Deferred();
  own.closed.reject(error).quiet();
  state.reader = own.state = undefined;
  refuseRequests(own, error);
}

const released = (what) => PromiseReject(new TypeError(`${what}: the reader was released`));

// --- classes ---------------------------------------------------------------------------------------------------------

class ReadableStreamDefaultController {
  #state;

  constructor(caller, state) {
    if (caller !== key) throw new TypeError('Illegal constructor');
    this.#state = state;
  }

  get desiredSize() { return desiredSize(this.#state); }

  enqueue(chunk = undefined) {
    if (!canEnqueue(this.#state)) throw new TypeError('enqueue: the stream is closed');
    enqueue(this.#state, chunk);
  }

  close() {
    if (!canEnqueue(this.#state)) throw new TypeError('close: the stream is closed');
    close(this.#state);
  }

  error(reason = undefined) { fail(this.#state, reason); }
}
webInterface(ReadableStreamDefaultController, 'ReadableStreamDefaultController');

let stateOf; // stateOf(stream): its state; throws unless it is one

class ReadableStreamDefaultReader {
  #own;

  constructor(stream) { this.#own = acquire(stateOf(stream)); }

  get closed() {
    if (!(#own in this)) return PromiseReject(illegalThis('ReadableStreamDefaultReader'));
    return this.#own.closed.promise;
  }

  read() {
    if (!(#own in this)) return PromiseReject(illegalThis('ReadableStreamDefaultReader'));
    const { state } = this.#own;
    return state === undefined ? released('read') : readPromise(state);
  }

  cancel(reason = undefined) {
    if (!(#own in this)) return PromiseReject(illegalThis('ReadableStreamDefaultReader'));
    const { state } = this.#own;
    return state === undefined ? released('cancel') : cancel(state, reason);
  }

  releaseLock() {
    if (this.#own.state !== undefined) release(this.#own);
  }
}
webInterface(ReadableStreamDefaultReader, 'ReadableStreamDefaultReader');

// sourceAlgorithms(source, where): those of what a program gave.
function sourceAlgorithms(source, onCancel, pull) {
  return {
    cancel: onCancel === undefined ? none : (reason) => invoke(onCancel, source, [reason]),
    pull: pull === undefined ? none : (controller) => invoke(pull, source, [controller]),
  };
}

class ReadableStream {
  #state;

  constructor(source = undefined, given = undefined) {
    if (source === key) {
      this.#state = given;
      return;
    }
    const from = object(source, 'ReadableStream: source');
    const { highWaterMark, size } = strategy(given, 'ReadableStream: strategy');
    const onCancel = callback(from, 'cancel', 'ReadableStream: source');
    const pull = callback(from, 'pull', 'ReadableStream: source');
    const start = callback(from, 'start', 'ReadableStream: source');
    const type = from.type === undefined ? undefined : `${from.type}`;
    if (type !== undefined && type !== 'bytes') throw new TypeError(`ReadableStream: no such type: ${describe(type)}`);
    const state = makeState(sourceAlgorithms(from, onCancel, pull),
      highWaterMarkOf({ highWaterMark }, type === undefined ? 1 : 0), size);
    this.#state = state;
    state.controller = new ReadableStreamDefaultController(key, state);
    begin(state, PromiseResolve(start === undefined ? undefined : ReflectApply(start, from, [state.controller])));
  }

  static {
    stateOf = (stream) => {
      if (typeof stream !== 'object' || stream === null || !(#state in stream)) throw illegalThis('ReadableStream');
      return stream.#state;
    };
    // isReadableStream(value), isStreamDisturbed(stream): has somebody read from it, or is about to?
    internal.isReadableStream = (value) => typeof value === 'object' && value !== null && #state in value;
    internal.isStreamDisturbed = (stream) => stream.#state.isDisturbed;
  }

  // from(iterable): what iterating gives.
  static from(iterable) { return internal.streamOf(iterable); }

  get locked() { return stateOf(this).reader !== undefined; }

  getReader(options = undefined) {
    stateOf(this);
    const { mode } = dictionary(options, 'getReader: options');
    if (mode !== undefined) throw new TypeError(`getReader: there is no mode ${describe(`${mode}`)}`);
    return new ReadableStreamDefaultReader(this);
  }

  cancel(reason = undefined) {
    if (!internal.isReadableStream(this)) return PromiseReject(illegalThis('ReadableStream'));
    const state = this.#state;
    if (state.reader !== undefined) return PromiseReject(new TypeError('cancel: the stream is locked'));
    return cancel(state, reason);
  }

  pipeTo(destination, options = undefined) {
    if (!internal.isReadableStream(this)) return PromiseReject(illegalThis('ReadableStream'));
    return internal.pipeTo(this.#state, destination, options);
  }

  pipeThrough(transform, options = undefined) {
    return internal.pipeThrough(stateOf(this), transform, options);
  }

  tee() { return tee(stateOf(this)); }

  values(options = undefined) {
    const state = stateOf(this);
    const { preventCancel } = dictionary(options, 'values: options');
    const iterator = ObjectCreate(StreamIteratorPrototype);
    iterations.set(iterator, { reader: acquire(state), preventCancel: !!preventCancel, last: undefined, isDone: false });
    return iterator;
  }
}
webInterface(ReadableStream, 'ReadableStream');
defineHidden(ReadableStream.prototype, SymbolAsyncIterator, ReadableStream.prototype.values);
defineHidden(ReadableStream.prototype, customInspect, function (depth, options, inspect) {
  if (!internal.isReadableStream(this)) return this;
  const { status, reader } = stateOf(this);
  return `ReadableStream ${inspect({ locked: reader !== undefined, state: status }, options)}`;
});

// makeStream(algorithms, highWaterMark, size, started): a stream that fino feeds: [stream, state].
function makeStream(algorithms, highWaterMark, size, started) {
  const state = makeState(algorithms, highWaterMark, size);
  state.controller = new ReadableStreamDefaultController(key, state);
  begin(state, started);
  return [new ReadableStream(key, state), state];
}

// --- tee -------------------------------------------------------------------------------------------------------------

// tee(state): two streams that both get every chunk; the source is pulled when one of them wants more.
function tee(source) {
  const reader = acquire(source);
  const reasons = [undefined, undefined];
  const isCancelled = [false, false];
  const cancelled = new Deferred();
  const branches = [];
  let isReading = false;
  let readsAgain = false;
  const forBoth = (use) => {
    for (let i = 0; i < 2; i++) if (!isCancelled[i]) use(branches[i]);
  };
  const end = () => {
    if (!isCancelled[0] || !isCancelled[1]) cancelled.resolve(undefined);
  };
  const request = {
    // In a microtask, so that the source's errors, which come as promises, are not overtaken.
    chunk: (value) => PromisePrototypeThen(PromiseResolve(undefined), () => {
      readsAgain = false;
      forBoth((branch) => enqueue(branch, value));
      isReading = false;
      if (readsAgain) pull();
    }),
    close: () => {
      isReading = false;
      forBoth((branch) => close(branch));
      end();
    },
    error: () => { isReading = false; },
  };
  function pull() {
    if (isReading) {
      readsAgain = true;
      return PromiseResolve(undefined);
    }
    isReading = true;
    read(source, request);
    return PromiseResolve(undefined);
  }
  const branch = (index) => makeStream({
    pull,
    cancel(reason) {
      isCancelled[index] = true;
      reasons[index] = reason;
      if (isCancelled[1 - index]) cancelled.resolve(cancel(source, reasons));
      return cancelled.promise;
    },
  }, 1, undefined, PromiseResolve(undefined));
  const made = [branch(0), branch(1)];
  ArrayPrototypePush(branches, made[0][1], made[1][1]);
  PromisePrototypeThen(reader.closed.promise, undefined, (error) => {
    forBoth((each) => fail(each, error));
    end();
  });
  return [made[0][0], made[1][0]];
}

// --- iteration -------------------------------------------------------------------------------------------------------

const AsyncGeneratorPrototype = ObjectGetPrototypeOf((async function* () {}).prototype);
const iterations = new SafeWeakMap(); // iterator -> {reader, preventCancel, last, isDone}

const over = (value) => ({ value, done: true });

function nextOf(iteration) {
  if (iteration.isDone) return PromiseResolve(over(undefined));
  const deferred = new Deferred();
  const end = () => {
    iteration.isDone = true;
    if (iteration.reader.state !== undefined) release(iteration.reader);
  };
  read(iteration.reader.state, {
    chunk: (value) => { deferred.resolve({ value, done: false }); },
    close: () => {
      end();
      deferred.resolve(over(undefined));
    },
    error: (reason) => {
      end();
      deferred.reject(reason);
    },
  });
  // One turn later, as the standard has it: a return() that waits for this lets the source be pulled before.
  return PromisePrototypeThen(deferred.promise, (result) => result);
}

function returnOf(iteration, value) {
  if (iteration.isDone) return PromiseResolve(over(value));
  iteration.isDone = true;
  const { reader, preventCancel } = iteration;
  if (reader.state === undefined) return PromiseResolve(over(value));
  const cancelling = preventCancel ? PromiseResolve(undefined) : cancel(reader.state, value);
  release(reader);
  return PromisePrototypeThen(cancelling, () => over(value));
}

// inTurn(iterator, step): one step after the other.
function inTurn(iterator, step) {
  const iteration = iterations.get(iterator);
  if (iteration === undefined) return PromiseReject(illegalThis('ReadableStream async iterator'));
  const run = () => step(iteration);
  iteration.last = iteration.last === undefined ? run() : PromisePrototypeThen(iteration.last, run, run);
  return iteration.last;
}

const StreamIteratorPrototype = ObjectCreate(ObjectGetPrototypeOf(AsyncGeneratorPrototype), {
  __proto__: null,
  next: {
    __proto__: null, enumerable: true, configurable: true, writable: true,
    value: function next() { return inTurn(this, nextOf); },
  },
  return: {
    __proto__: null, enumerable: true, configurable: true, writable: true,
    value: { return(value) { return inTurn(this, (iteration) => returnOf(iteration, value)); } }.return,
  },
});

// iteratorOf(iterable): an object with next and, perhaps, return, whose results may be promises.
internal.iteratorOf = (iterable, where) => {
  const method = iterable?.[SymbolAsyncIterator] ?? iterable?.[SymbolIterator];
  if (typeof method !== 'function') throw new TypeError(`${where} must be iterable, not ${describe(iterable)}`);
  return ReflectApply(method, iterable, []);
};

// streamOf(iterable): a stream of what it gives; nothing is taken from it before somebody reads.
internal.streamOf = (iterable) => {
  const iterator = internal.iteratorOf(iterable, 'ReadableStream.from: iterable');
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(await value);
    },
    async cancel(reason) { await iterator.return?.(reason); },
  }, { highWaterMark: 0 });
};

internal.ReadableStream = ReadableStream;
internal.ReadableStreamDefaultReader = ReadableStreamDefaultReader;
internal.ReadableStreamDefaultController = ReadableStreamDefaultController;
internal.readableParts = {
  __proto__: null, acquire, cancel, canEnqueue, close, desiredSize, enqueue, fail, makeStream, read, release, stateOf,
  wantsMore,
};
