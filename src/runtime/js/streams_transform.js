// class TransformStream: a writable side whose chunks become those of a readable side. After the Streams Standard.
'use strict';

const { PromisePrototypeThen, PromiseResolve, RangeError, ReflectApply, TypeError } = internal.primordials;
const { customInspect, defineHidden, illegalThis, webInterface } = internal;
const { Deferred, callback, highWaterMarkOf, invoke, object, strategy } = internal.streamBase;
const readable = internal.readableParts;
const writable = internal.writableParts;

const key = {}; // only fino makes controllers

const none = () => PromiseResolve(undefined);

// --- the stream's state ----------------------------------------------------------------------------------------------

// ALGORITHMS: transform(chunk, controller), flush(controller) and cancel(reason), which return promises.
function makeState(algorithms, writableStrategy, readableStrategy, started) {
  const state = {
    transform: algorithms.transform, flush: algorithms.flush, cancel: algorithms.cancel, controller: undefined,
    hasBackpressure: undefined, backpressureChange: undefined, finishing: undefined,
    readable: undefined, from: undefined, writable: undefined, into: undefined,
  };
  state.controller = new TransformStreamDefaultController(key, state);
  [state.writable, state.into] = writable.makeStream({
    write: (chunk) => onWrite(state, chunk),
    close: () => onClose(state),
    abort: (reason) => onAbort(state, reason),
  }, highWaterMarkOf(writableStrategy, 1), writableStrategy.size, started);
  [state.readable, state.from] = readable.makeStream({
    pull: () => {
      setBackpressure(state, false);
      return state.backpressureChange.promise;
    },
    cancel: (reason) => onCancel(state, reason),
  }, highWaterMarkOf(readableStrategy, 0), readableStrategy.size, started);
  setBackpressure(state, true);
  return state;
}

function setBackpressure(state, has) {
  state.backpressureChange?.resolve(undefined);
  state.backpressureChange = new Deferred();
  state.hasBackpressure = has;
}

function forgetAlgorithms(state) { state.transform = state.flush = state.cancel = none; }

function failWritable(state, error) {
  forgetAlgorithms(state);
  writable.fail(state.into, error);
  if (state.hasBackpressure) setBackpressure(state, false); // so that a write that waits goes on
}

function fail(state, error) {
  readable.fail(state.from, error);
  failWritable(state, error);
}

// --- what its sides ask for ------------------------------------------------------------------------------------------

function transform(state, chunk) {
  return PromisePrototypeThen(state.transform(chunk, state.controller), undefined, (error) => {
    fail(state, error);
    throw error;
  });
}

function onWrite(state, chunk) {
  if (!state.hasBackpressure) return transform(state, chunk);
  return PromisePrototypeThen(state.backpressureChange.promise, () => {
    if (state.into.status === 'erroring') throw state.into.error;
    return transform(state, chunk);
  });
}

// finish(state, algorithm, other, end): ALGORITHM's promise, then END unless OTHER, the other side, has failed.
function finish(state, algorithm, other, end, onError) {
  if (state.finishing !== undefined) return state.finishing.promise;
  const finishing = new Deferred();
  state.finishing = finishing;
  const running = algorithm();
  forgetAlgorithms(state);
  PromisePrototypeThen(running, () => {
    if (other.status === 'errored') {
      finishing.reject(other.error);
      return;
    }
    end();
    finishing.resolve(undefined);
  }, (error) => {
    onError(error);
    finishing.reject(error);
  });
  return finishing.promise;
}

const onClose = (state) => finish(state, () => state.flush(state.controller), state.from, () => {
  if (readable.canEnqueue(state.from)) readable.close(state.from);
}, (error) => readable.fail(state.from, error));

const onAbort = (state, reason) => finish(state, () => state.cancel(reason), state.from,
  () => readable.fail(state.from, reason), (error) => readable.fail(state.from, error));

const onCancel = (state, reason) => finish(state, () => state.cancel(reason), state.into,
  () => failWritable(state, reason), (error) => failWritable(state, error));

// --- classes ---------------------------------------------------------------------------------------------------------

class TransformStreamDefaultController {
  #state;

  constructor(caller, state) {
    if (caller !== key) throw new TypeError('Illegal constructor');
    this.#state = state;
  }

  get desiredSize() { return readable.desiredSize(this.#state.from); }

  enqueue(chunk = undefined) {
    const state = this.#state;
    const { from } = state;
    if (!readable.canEnqueue(from)) throw new TypeError('enqueue: the readable side is closed');
    try {
      readable.enqueue(from, chunk);
    } catch (error) {
      failWritable(state, error);
      throw from.error;
    }
    if (!readable.wantsMore(from) && !state.hasBackpressure) setBackpressure(state, true);
  }

  error(reason = undefined) { fail(this.#state, reason); }

  // terminate(): the readable side ends, and nothing more can be written.
  terminate() {
    const state = this.#state;
    if (readable.canEnqueue(state.from)) readable.close(state.from);
    failWritable(state, new TypeError('The stream was terminated'));
  }
}
webInterface(TransformStreamDefaultController, 'TransformStreamDefaultController');

class TransformStream {
  #state;

  constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
    const by = object(transformer, 'TransformStream: transformer');
    const forWritable = strategy(writableStrategy, 'TransformStream: writableStrategy');
    const forReadable = strategy(readableStrategy, 'TransformStream: readableStrategy');
    const cancel = callback(by, 'cancel', 'TransformStream: transformer');
    const flush = callback(by, 'flush', 'TransformStream: transformer');
    if (by.readableType !== undefined) throw new RangeError('TransformStream: there are no types of readable sides');
    const start = callback(by, 'start', 'TransformStream: transformer');
    const onChunk = callback(by, 'transform', 'TransformStream: transformer');
    if (by.writableType !== undefined) throw new RangeError('TransformStream: there are no types of writable sides');
    highWaterMarkOf(forReadable, 0);
    const started = new Deferred();
    this.#state = makeState({
      cancel: cancel === undefined ? none : (reason) => invoke(cancel, by, [reason]),
      flush: flush === undefined ? none : (controller) => invoke(flush, by, [controller]),
      transform: (chunk, controller) => (onChunk === undefined ?
        invoke(pass, undefined, [chunk, controller]) : invoke(onChunk, by, [chunk, controller])),
    }, forWritable, forReadable, started.promise);
    started.resolve(start === undefined ? undefined : ReflectApply(start, by, [this.#state.controller]));
  }

  static #stateOf(stream) {
    if (!(#state in stream)) throw illegalThis('TransformStream');
    return stream.#state;
  }

  get readable() { return TransformStream.#stateOf(this).readable; }
  get writable() { return TransformStream.#stateOf(this).writable; }
}
webInterface(TransformStream, 'TransformStream');
defineHidden(TransformStream.prototype, customInspect, function (depth, options, inspect) {
  if (!(this instanceof TransformStream) || this === TransformStream.prototype) return this;
  return `TransformStream ${inspect({ readable: this.readable, writable: this.writable }, options)}`;
});

function pass(chunk, controller) { controller.enqueue(chunk); }

internal.TransformStream = TransformStream;
internal.TransformStreamDefaultController = TransformStreamDefaultController;
