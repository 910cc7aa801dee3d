// class ReadableStream: a queue between one who enqueues when asked and one who reads, with default readers.
'use strict';

const {
  ArrayPrototypePush, ArrayPrototypeShift, Number, ObjectCreate, ObjectGetPrototypeOf, Promise, PromisePrototypeThen,
  PromiseReject, PromiseResolve, RangeError, ReflectApply, SymbolAsyncIterator, SymbolIterator, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, describe, dictionary, illegalThis, needFunction, webInterface } = internal;

const key = {}; // only fino makes readers and controllers

function deferred() {
  const result = { promise: undefined, resolve: undefined, reject: undefined };
  result.promise = new Promise((resolve, reject) => {
    result.resolve = resolve;
    result.reject = reject;
  });
  return result;
}

const ignore = () => {};

// quiet(promise): its rejection is somebody else's to handle, or nobody's.
function quiet(promise) {
  PromisePrototypeThen(promise, undefined, ignore);
  return promise;
}

// --- the stream's state ----------------------------------------------------------------------------------------------

function makeState(highWaterMark, size) {
  return {
    status: 'readable', error: undefined, reader: undefined, isDisturbed: false,
    queue: [], sizes: [], head: 0, total: 0, highWaterMark, size,
    isPulling: false, pullsAgain: false, isStarted: false, closes: false, pull: undefined, cancel: undefined,
    controller: undefined,
  };
}

const desiredSize = (state) => (
  state.status === 'errored' ? null : state.status === 'closed' ? 0 : state.highWaterMark - state.total);

function dequeue(state) {
  const chunk = state.queue[state.head];
  state.total -= state.sizes[state.head];
  state.queue[state.head++] = undefined;
  if (state.head === state.queue.length) {
    state.queue.length = 0;
    state.sizes.length = 0;
    state.head = 0;
    state.total = 0;
  }
  return chunk;
}

const isEmpty = (state) => state.head === state.queue.length;
const waitsForChunk = (state) => state.reader !== undefined && state.reader.requests.length > 0;

function close(state) {
  state.status = 'closed';
  state.pull = state.cancel = undefined;
  const { reader } = state;
  if (reader === undefined) return;
  const { requests } = reader;
  reader.requests = [];
  for (let i = 0; i < requests.length; i++) requests[i].resolve({ value: undefined, done: true });
  reader.closed.resolve(undefined);
}

function fail(state, error) {
  if (state.status !== 'readable') return;
  state.status = 'errored';
  state.error = error;
  state.queue.length = state.sizes.length = state.head = state.total = 0;
  state.pull = state.cancel = undefined;
  const { reader } = state;
  if (reader === undefined) return;
  const { requests } = reader;
  reader.requests = [];
  for (let i = 0; i < requests.length; i++) requests[i].reject(error);
  reader.closed.reject(error);
}

function pullIfNeeded(state) {
  if (state.status !== 'readable' || state.closes || !state.isStarted || state.pull === undefined) return;
  if (!waitsForChunk(state) && !(desiredSize(state) > 0)) return;
  if (state.isPulling) {
    state.pullsAgain = true;
    return;
  }
  state.isPulling = true;
  let result;
  try {
    result = state.pull(state.controller);
  } catch (error) {
    fail(state, error);
    return;
  }
  PromisePrototypeThen(PromiseResolve(result), () => {
    state.isPulling = false;
    if (!state.pullsAgain) return;
    state.pullsAgain = false;
    pullIfNeeded(state);
  }, (error) => fail(state, error));
}

function read(state) {
  state.isDisturbed = true;
  if (state.status === 'errored') return PromiseReject(state.error);
  if (state.status === 'closed') return PromiseResolve({ value: undefined, done: true });
  if (!isEmpty(state)) {
    const value = dequeue(state);
    if (state.closes && isEmpty(state)) close(state);
    else pullIfNeeded(state);
    return PromiseResolve({ value, done: false });
  }
  const request = deferred();
  ArrayPrototypePush(state.reader.requests, request);
  pullIfNeeded(state);
  return request.promise;
}

async function cancel(state, reason) {
  state.isDisturbed = true;
  if (state.status === 'closed') return;
  if (state.status === 'errored') throw state.error;
  const algorithm = state.cancel;
  state.queue.length = state.sizes.length = state.head = state.total = 0;
  close(state);
  if (algorithm !== undefined) await algorithm(reason);
}

// --- classes ---------------------------------------------------------------------------------------------------------

class ReadableStreamDefaultController {
  #state;

  constructor(caller, state) {
    if (caller !== key) throw new TypeError('Illegal constructor');
    this.#state = state;
  }

  get desiredSize() { return desiredSize(this.#state); }

  enqueue(chunk = undefined) {
    const state = this.#state;
    if (state.status !== 'readable' || state.closes) throw new TypeError('enqueue: the stream is closed');
    if (waitsForChunk(state)) {
      ArrayPrototypeShift(state.reader.requests).resolve({ value: chunk, done: false });
    } else {
      let size = 1;
      if (state.size !== undefined) {
        try {
          size = Number(ReflectApply(state.size, undefined, [chunk]));
          if (!(size >= 0) || size === 1 / 0) throw new RangeError(`The size of a chunk can't be ${size}`);
        } catch (error) {
          fail(state, error);
          throw error;
        }
      }
      ArrayPrototypePush(state.queue, chunk);
      ArrayPrototypePush(state.sizes, size);
      state.total += size;
    }
    pullIfNeeded(state);
  }

  close() {
    const state = this.#state;
    if (state.status !== 'readable' || state.closes) throw new TypeError('close: the stream is closed');
    state.closes = true;
    if (isEmpty(state)) close(state);
  }

  error(reason = undefined) { fail(this.#state, reason); }
}
webInterface(ReadableStreamDefaultController, 'ReadableStreamDefaultController');

let stateOf; // stateOf(stream): its state; throws unless it is one

class ReadableStreamDefaultReader {
  #state;
  #own = { requests: [], closed: deferred() };

  constructor(stream) {
    const state = stateOf(stream);
    if (state.reader !== undefined) throw new TypeError('The stream is locked to another reader');
    this.#state = state;
    state.reader = this.#own;
    quiet(this.#own.closed.promise);
    if (state.status === 'closed') this.#own.closed.resolve(undefined);
    else if (state.status === 'errored') this.#own.closed.reject(state.error);
  }

  get closed() { return this.#own.closed.promise; }

  read() {
    const state = this.#state;
    if (state === undefined) return PromiseReject(new TypeError('read: the reader was released'));
    return read(state);
  }

  cancel(reason = undefined) {
    const state = this.#state;
    if (state === undefined) return PromiseReject(new TypeError('cancel: the reader was released'));
    return cancel(state, reason);
  }

  releaseLock() {
    const state = this.#state;
    if (state === undefined) return;
    const error = new TypeError('The reader was released');
    const { requests } = this.#own;
    this.#own.requests = [];
    for (let i = 0; i < requests.length; i++) requests[i].reject(error);
    if (state.status !== 'readable') this.#own.closed = deferred();
    this.#own.closed.reject(error);
    quiet(this.#own.closed.promise);
    state.reader = undefined;
    this.#state = undefined;
  }
}
webInterface(ReadableStreamDefaultReader, 'ReadableStreamDefaultReader');

const AsyncGeneratorPrototype = ObjectGetPrototypeOf((async function* () {}).prototype);
const StreamIteratorPrototype = ObjectCreate(ObjectGetPrototypeOf(AsyncGeneratorPrototype));

class ReadableStream {
  #state;

  constructor(source = undefined, strategy = undefined) {
    const given = dictionary(source, 'ReadableStream: source');
    const { start, pull, cancel: onCancel, type } = given;
    const { highWaterMark = 1, size } = dictionary(strategy, 'ReadableStream: strategy');
    if (type !== undefined && type !== 'bytes') throw new TypeError(`ReadableStream: no such type: ${describe(type)}`);
    if (start !== undefined) needFunction(start, 'ReadableStream: start');
    if (pull !== undefined) needFunction(pull, 'ReadableStream: pull');
    if (onCancel !== undefined) needFunction(onCancel, 'ReadableStream: cancel');
    if (size !== undefined) needFunction(size, 'ReadableStream: size');
    if (!(Number(highWaterMark) >= 0)) {
      throw new RangeError(`ReadableStream: highWaterMark must be a number from 0, not ${describe(highWaterMark)}`);
    }
    const state = makeState(Number(highWaterMark), size);
    state.controller = new ReadableStreamDefaultController(key, state);
    if (pull !== undefined) state.pull = (controller) => ReflectApply(pull, given, [controller]);
    if (onCancel !== undefined) state.cancel = (reason) => ReflectApply(onCancel, given, [reason]);
    this.#state = state;
    const started = start === undefined ? undefined : ReflectApply(start, given, [state.controller]);
    PromisePrototypeThen(PromiseResolve(started), () => {
      state.isStarted = true;
      pullIfNeeded(state);
    }, (error) => fail(state, error));
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
    if (mode !== undefined) throw new TypeError(`getReader: there is no mode ${describe(mode)}`);
    return new ReadableStreamDefaultReader(this);
  }

  cancel(reason = undefined) {
    const state = stateOf(this);
    if (state.reader !== undefined) return PromiseReject(new TypeError('cancel: the stream is locked'));
    return cancel(state, reason);
  }

  // tee(): two streams that both get every chunk; the source is pulled when one of them wants more.
  tee() {
    const reader = new ReadableStreamDefaultReader(this);
    const reasons = [undefined, undefined];
    const isCancelled = [false, false];
    const cancelled = deferred();
    const controllers = [];
    let isReading = false;
    let readsAgain = false;
    const forBoth = (use) => {
      for (let i = 0; i < 2; i++) if (!isCancelled[i]) use(controllers[i]);
    };
    const pull = () => {
      if (isReading) {
        readsAgain = true;
        return;
      }
      isReading = true;
      PromisePrototypeThen(reader.read(), ({ value, done }) => {
        isReading = false;
        if (done) {
          forBoth((controller) => controller.close());
          if (!isCancelled[0] || !isCancelled[1]) cancelled.resolve(undefined);
          return;
        }
        forBoth((controller) => controller.enqueue(value));
        if (!readsAgain) return;
        readsAgain = false;
        pull();
      }, (error) => {
        forBoth((controller) => controller.error(error));
        cancelled.resolve(undefined);
      });
    };
    const branch = (index) => new ReadableStream({
      start(controller) { controllers[index] = controller; },
      pull,
      cancel(reason) {
        isCancelled[index] = true;
        reasons[index] = reason;
        if (isCancelled[1 - index]) cancelled.resolve(reader.cancel(reasons));
        return cancelled.promise;
      },
    });
    return [branch(0), branch(1)];
  }

  values(options = undefined) {
    const { preventCancel = false } = dictionary(options, 'values: options');
    const reader = this.getReader();
    let isDone = false;
    const iterator = ObjectCreate(StreamIteratorPrototype);
    defineHidden(iterator, 'next', async () => {
      if (isDone) return { value: undefined, done: true };
      let result;
      try {
        result = await reader.read();
      } catch (error) {
        isDone = true;
        reader.releaseLock();
        throw error;
      }
      if (result.done) {
        isDone = true;
        reader.releaseLock();
      }
      return result;
    });
    defineHidden(iterator, 'return', async (value) => {
      if (!isDone) {
        isDone = true;
        const cancelling = preventCancel ? undefined : reader.cancel(value);
        reader.releaseLock();
        await cancelling;
      }
      return { value, done: true };
    });
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
