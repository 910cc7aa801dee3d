// pipeTo and pipeThrough: from a ReadableStream to a WritableStream as fast as that one wants, with what ends or fails on
// one side told to the other. After the Streams Standard.
'use strict';

const { PromisePrototypeThen, PromiseReject, PromiseResolve, TypeError } = internal.primordials;
const { dictionary, illegalThis } = internal;
const { Deferred, quiet } = internal.streamBase;
const readable = internal.readableParts;
const writable = internal.writableParts;

function readOptions(options, where) {
  const given = dictionary(options, `${where}: options`);
  // In this order, which programs can see.
  const preventAbort = !!given.preventAbort;
  const preventCancel = !!given.preventCancel;
  const preventClose = !!given.preventClose;
  const { signal } = given;
  if (signal !== undefined && !internal.isAbortSignal(signal)) throw new TypeError(`${where}: signal must be an AbortSignal`);
  return { preventAbort, preventCancel, preventClose, signal };
}

// both(first, second): a promise that waits for both, and rejects as soon as one does.
function both(first, second) {
  const done = new Deferred();
  let left = 2;
  const one = () => {
    if (--left === 0) done.resolve(undefined);
  };
  const fail = (error) => { done.reject(error); };
  PromisePrototypeThen(first, one, fail);
  PromisePrototypeThen(second, one, fail);
  return done.promise;
}

class Pipe {
  constructor(source, destination, options) {
    this.source = source;
    this.destination = destination;
    this.options = options;
    this.reader = readable.acquire(source);
    this.writer = writable.acquire(destination);
    this.lastWrite = PromiseResolve(undefined);
    this.isOver = false;
    this.done = new Deferred();
    this.forgetSignal = undefined;
    source.isDisturbed = true;
  }

  start() {
    const { signal } = this.options;
    if (signal !== undefined) {
      if (signal.aborted) {
        this.onAbort();
        return;
      }
      this.forgetSignal = internal.onAbort(signal, () => this.onAbort());
    }
    this.watch();
    if (!this.isOver) this.step();
  }

  onAbort() {
    const { source, destination } = this;
    const { preventAbort, preventCancel, signal } = this.options;
    const { reason } = signal;
    this.end(() => both(
      !preventAbort && destination.status === 'writable' ? writable.abort(destination, reason) : PromiseResolve(undefined),
      !preventCancel && source.status === 'readable' ? readable.cancel(source, reason) : PromiseResolve(undefined),
    ), true, reason);
  }

  // watch(): what happens to either side, or has happened, in the order in which it counts.
  watch() {
    const { source, destination, reader, writer } = this;
    if (source.status === 'errored') this.onSourceError(source.error);
    else PromisePrototypeThen(reader.closed.promise, undefined, (error) => this.onSourceError(error));
    if (destination.status === 'errored') this.onDestinationError(destination.error);
    else PromisePrototypeThen(writer.closed.promise, undefined, (error) => this.onDestinationError(error));
    if (source.status === 'closed') this.onSourceEnd();
    else PromisePrototypeThen(reader.closed.promise, () => this.onSourceEnd(), () => {});
    if (writable.isClosing(destination) || destination.status === 'closed') {
      this.onDestinationError(new TypeError('pipeTo: the destination is closed'));
    }
  }

  onSourceError(error) {
    this.end(this.options.preventAbort ? undefined : () => writable.abort(this.destination, error), true, error);
  }

  onDestinationError(error) {
    this.end(this.options.preventCancel ? undefined : () => readable.cancel(this.source, error), true, error);
  }

  onSourceEnd() {
    this.end(this.options.preventClose ? undefined : () => writable.closeAfter(this.destination), false);
  }

  // step(): one chunk, once the destination wants one.
  step() {
    if (this.isOver) return;
    quiet(PromisePrototypeThen(this.writer.ready.promise, () => {
      if (this.isOver) return;
      readable.read(this.source, {
        chunk: (chunk) => {
          this.lastWrite = quiet(writable.write(this.writer, chunk));
          this.step();
        },
        close: () => {},
        error: () => {},
      });
    }));
  }

  // settled(): what was read has been written, or not.
  settled() {
    const last = this.lastWrite;
    const again = () => (last === this.lastWrite ? undefined : this.settled());
    return PromisePrototypeThen(last, again, again);
  }

  // end(action, isError, error): what was read is written, then ACTION done, then the pipe is over.
  end(action, isError, error) {
    if (this.isOver) return;
    this.isOver = true;
    const finish = () => {
      if (action === undefined) {
        this.finish(isError, error);
        return;
      }
      PromisePrototypeThen(action(), () => this.finish(isError, error), (reason) => this.finish(true, reason));
    };
    const { destination } = this;
    if (destination.status === 'writable' && !writable.isClosing(destination)) {
      PromisePrototypeThen(this.settled(), finish);
    } else {
      finish();
    }
  }

  finish(isError, error) {
    writable.release(this.writer);
    readable.release(this.reader);
    this.forgetSignal?.();
    if (isError) this.done.reject(error);
    else this.done.resolve(undefined);
  }
}

function pipe(source, destination, options) {
  const made = new Pipe(source, destination, options);
  made.start();
  return made.done.promise;
}

internal.pipeTo = (source, destination, options) => {
  try {
    const to = writable.stateOf(destination);
    const given = readOptions(options, 'pipeTo');
    if (source.reader !== undefined) throw new TypeError('pipeTo: the stream is locked');
    if (to.writer !== undefined) throw new TypeError('pipeTo: the destination is locked');
    return pipe(source, to, given);
  } catch (error) {
    return PromiseReject(error);
  }
};

internal.pipeThrough = (source, transform, options) => {
  const pair = dictionary(transform, 'pipeThrough: transform');
  const from = pair.readable;
  if (!internal.isReadableStream(from)) throw illegalThis('ReadableStream');
  const to = writable.stateOf(pair.writable);
  const given = readOptions(options, 'pipeThrough');
  if (source.reader !== undefined) throw new TypeError('pipeThrough: the stream is locked');
  if (to.writer !== undefined) throw new TypeError('pipeThrough: the writable side is locked');
  quiet(pipe(source, to, given));
  return from;
};
