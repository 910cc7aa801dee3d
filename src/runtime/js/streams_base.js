// What the kinds of streams share: promises with their ends, queues of chunks with sizes, strategies, callbacks.
'use strict';

const {
  ArrayPrototypePush, Number, Promise, PromisePrototypeThen, PromiseReject, PromiseResolve, RangeError, ReflectApply,
  TypeError,
} = internal.primordials;
const { defineHidden, describe, dictionary, illegalThis, needArguments, needFunction, webInterface } = internal;

const ignore = () => {};

// --- promises --------------------------------------------------------------------------------------------------------

// A promise that is settled from outside; quiet() leaves its rejection to whoever asks for the promise.
class Deferred {
  constructor() {
    this.isPending = true;
    this.promise = new Promise((resolve, reject) => {
      this.resolvePromise = resolve;
      this.rejectPromise = reject;
    });
  }

  resolve(value) {
    this.isPending = false;
    this.resolvePromise(value);
    return this;
  }

  reject(error) {
    this.isPending = false;
    this.rejectPromise(error);
    return this;
  }

  quiet() {
    quiet(this.promise);
    return this;
  }
}

function quiet(promise) {
  PromisePrototypeThen(promise, undefined, ignore);
  return promise;
}

// invoke(callback, receiver, args): a promise of what it returns, or of what it throws.
function invoke(callback, receiver, args) {
  try {
    return PromiseResolve(ReflectApply(callback, receiver, args));
  } catch (error) {
    return PromiseReject(error);
  }
}

// --- queues ----------------------------------------------------------------------------------------------------------

class SizedQueue {
  constructor() { this.clear(); }

  clear() {
    this.chunks = [];
    this.sizes = [];
    this.head = 0;
    this.total = 0;
  }

  get isEmpty() { return this.head === this.chunks.length; }
  get first() { return this.chunks[this.head]; }

  push(chunk, given) {
    const size = Number(given);
    if (!(size >= 0) || size === 1 / 0) throw new RangeError(`The size of a chunk can't be ${describe(given)}`);
    ArrayPrototypePush(this.chunks, chunk);
    ArrayPrototypePush(this.sizes, size);
    this.total += size;
  }

  shift() {
    const { chunks, sizes, head } = this;
    const chunk = chunks[head];
    this.total -= sizes[head];
    if (this.total < 0) this.total = 0; // rounding
    chunks[head] = undefined;
    this.head++;
    if (this.head === chunks.length) chunks.length = sizes.length = this.head = 0;
    return chunk;
  }
}

// --- what constructors are given -------------------------------------------------------------------------------------

// object(value, where): a dictionary that may be missing, but is no null.
function object(value, where) {
  if (value === null) throw new TypeError(`${where} must be an object, not null`);
  return dictionary(value, where);
}

// strategy(value, where): {highWaterMark, size}, each undefined if it is not there.
function strategy(value, where) {
  const given = dictionary(value, where);
  let { highWaterMark } = given;
  if (highWaterMark !== undefined) highWaterMark = +highWaterMark;
  return { highWaterMark, size: callback(given, 'size', where) };
}

function highWaterMarkOf({ highWaterMark }, otherwise) {
  if (highWaterMark === undefined) return otherwise;
  if (highWaterMark >= 0) return highWaterMark;
  throw new RangeError(`highWaterMark must be a number from 0, not ${describe(highWaterMark)}`);
}

function callback(given, name, where) {
  const value = given[name];
  if (value !== undefined) needFunction(value, `${where}: ${name}`);
  return value;
}

// --- strategies ------------------------------------------------------------------------------------------------------

function strategyClass(name, sizeOf) {
  const size = { size: sizeOf }.size;
  const Class = { [name]: class {
    #highWaterMark;

    constructor(init) {
      needArguments(arguments.length, 1, `${name} constructor`);
      const { highWaterMark } = dictionary(init, `${name}: init`);
      if (highWaterMark === undefined) throw new TypeError(`${name}: highWaterMark is missing`);
      this.#highWaterMark = +highWaterMark;
    }

    get highWaterMark() {
      if (!(#highWaterMark in this)) throw illegalThis(name);
      return this.#highWaterMark;
    }

    get size() {
      if (!(#highWaterMark in this)) throw illegalThis(name);
      return size;
    }
  } }[name];
  defineHidden(size, 'name', 'size');
  return webInterface(Class, name);
}

internal.ByteLengthQueuingStrategy = strategyClass('ByteLengthQueuingStrategy', (chunk) => chunk.byteLength);
internal.CountQueuingStrategy = strategyClass('CountQueuingStrategy', () => 1);
internal.streamBase = { __proto__: null, Deferred, SizedQueue, callback, highWaterMarkOf, invoke, object, quiet, strategy };
