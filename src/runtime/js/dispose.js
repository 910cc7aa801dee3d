// Explicit resource management, which ECMAScript has and this V8 has not: DisposableStack, AsyncDisposableStack, and
// SuppressedError, what a program sees of two errors when disposing of something throws the second. `using` itself is
// lowered in typescript_using.c; the symbols, and those methods of iterators, are defined with the globals.
'use strict';

const {
  ArrayPrototypePop, ArrayPrototypePush, Error, FunctionPrototypeCall, ObjectDefineProperty, ObjectSetPrototypeOf,
  ReferenceError, ReflectConstruct, Symbol, SymbolToStringTag, TypeError,
} = internal.primordials;
const { defineHidden, describe, illegalThis, needFunction } = internal;

// Like all errors, it may be called without `new`.
function SuppressedError(error, suppressed, message) {
  const made = ReflectConstruct(Error, message === undefined ? [] : [message], new.target ?? SuppressedError);
  defineHidden(made, 'error', error);
  defineHidden(made, 'suppressed', suppressed);
  return made;
}
ObjectSetPrototypeOf(SuppressedError, Error);
ObjectSetPrototypeOf(SuppressedError.prototype, Error.prototype);
ObjectDefineProperty(SuppressedError, 'prototype', { __proto__: null, writable: false });
defineHidden(SuppressedError.prototype, 'name', 'SuppressedError');
defineHidden(SuppressedError.prototype, 'message', '');

// What was thrown while several were disposed of: the first error, or each together with those before it.
class Failure {
  #isThere = false;
  #error;

  add(error) {
    const message = 'An error was suppressed during disposal';
    this.#error = this.#isThere ? new SuppressedError(error, this.#error, message) : error;
    this.#isThere = true;
  }

  rethrow() {
    if (this.#isThere) throw this.#error;
  }
}

// The method that disposes of value. An asynchronous stack takes [Symbol.dispose]() where there is no other, and does not
// wait for what that returns.
function disposerOf(value, isAsync, where) {
  if (typeof value !== 'object' && typeof value !== 'function') {
    throw new TypeError(`${where}: value must be an object, null or undefined, not ${describe(value)}`);
  }
  const own = isAsync ? value[Symbol.asyncDispose] : undefined;
  if (own !== undefined && own !== null) {
    needFunction(own, `${where}: value[Symbol.asyncDispose]`);
    return own;
  }
  const dispose = value[Symbol.dispose];
  needFunction(dispose, `${where}: value[Symbol.dispose]`);
  return isAsync ? async function () { FunctionPrototypeCall(dispose, this); } : dispose;
}

// makeStack(name, isAsync): the class, all but its method that disposes, and take(stack), which empties one and returns
// its resources. Each is { value, method }; there is no method for a null that is only waited for.
function makeStack(name, isAsync) {
  let take;

  class Stack {
    #resources = []; // undefined: they have been disposed of or moved

    static #of(stack) {
      if (typeof stack !== 'object' || stack === null || !(#resources in stack)) throw illegalThis(name);
      return stack.#resources;
    }

    static #pending(stack) {
      const resources = Stack.#of(stack);
      if (resources === undefined) throw new ReferenceError(`this ${name} has been disposed of or moved`);
      return resources;
    }

    static {
      take = (stack) => {
        const resources = Stack.#of(stack) ?? [];
        stack.#resources = undefined;
        return resources;
      };
    }

    get disposed() { return Stack.#of(this) === undefined; }

    use(value) {
      const resources = Stack.#pending(this);
      const isNull = value === undefined || value === null;
      const method = isNull ? undefined : disposerOf(value, isAsync, `${name}.use`);
      if (isAsync || !isNull) ArrayPrototypePush(resources, { value, method });
      return value;
    }

    adopt(value, onDispose) {
      const resources = Stack.#pending(this);
      needFunction(onDispose, `${name}.adopt: onDispose`);
      const method = () => FunctionPrototypeCall(onDispose, undefined, value);
      ArrayPrototypePush(resources, { value: undefined, method });
      return value;
    }

    defer(onDispose) {
      const resources = Stack.#pending(this);
      needFunction(onDispose, `${name}.defer: onDispose`);
      ArrayPrototypePush(resources, { value: undefined, method: onDispose });
    }

    move() {
      const resources = Stack.#pending(this);
      const moved = new Stack();
      moved.#resources = resources;
      this.#resources = undefined;
      return moved;
    }
  }
  ObjectDefineProperty(Stack, 'name', { __proto__: null, value: name });
  ObjectDefineProperty(Stack.prototype, SymbolToStringTag, { __proto__: null, value: name, configurable: true });
  return { Stack, take };
}

const { Stack: DisposableStack, take } = makeStack('DisposableStack', false);
const { Stack: AsyncDisposableStack, take: takeAsync } = makeStack('AsyncDisposableStack', true);

const { dispose, disposeAsync } = {
  dispose() {
    const resources = take(this);
    const failure = new Failure();
    while (resources.length > 0) {
      const { value, method } = ArrayPrototypePop(resources);
      try {
        FunctionPrototypeCall(method, value);
      } catch (error) {
        failure.add(error);
      }
    }
    failure.rethrow();
  },

  // One after the other. For nulls it waits once, unless it has waited for something else.
  async disposeAsync() {
    const resources = takeAsync(this);
    const failure = new Failure();
    let hasNull = false;
    let hasWaited = false;
    while (resources.length > 0) {
      const { value, method } = ArrayPrototypePop(resources);
      hasNull ||= method === undefined;
      if (method === undefined) continue;
      try {
        const result = FunctionPrototypeCall(method, value);
        hasWaited = true;
        await result;
      } catch (error) {
        failure.add(error);
      }
    }
    if (hasNull && !hasWaited) await undefined;
    failure.rethrow();
  },
};
defineHidden(DisposableStack.prototype, 'dispose', dispose);
defineHidden(DisposableStack.prototype, Symbol.dispose, dispose);
defineHidden(AsyncDisposableStack.prototype, 'disposeAsync', disposeAsync);
defineHidden(AsyncDisposableStack.prototype, Symbol.asyncDispose, disposeAsync);

internal.SuppressedError = SuppressedError;
internal.DisposableStack = DisposableStack;
internal.AsyncDisposableStack = AsyncDisposableStack;
