// The globals of fino that browsers don't have.

/** What setTimeout and setInterval return. As a number it is an id that clearTimeout takes, too. */
interface Timeout {
  /** Whether the process stays alive for this timer: it does at first. */
  ref(): this;
  unref(): this;
  hasRef(): boolean;
  /** Starts its time anew, also when it has already run. */
  refresh(): this;
  close(): this;
  [Symbol.toPrimitive](): number;
}

/** What setImmediate returns. */
interface Immediate {
  ref(): this;
  unref(): this;
  hasRef(): boolean;
}

/** Calls back in the next turn of the event loop, after input and output. */
declare function setImmediate<Args extends unknown[]>(callback: (...args: Args) => void, ...args: Args): Immediate;
declare function clearImmediate(immediate: Immediate | undefined | null): void;

/**
 * Ports to other Realms, beside what a browser's have.
 *
 * @example
 * ```ts
 * const { port1, port2 } = new MessageChannel();
 * port2.onmessage = ({ data }) => {
 *   console.log(data);
 *   port2.close();
 * };
 * port1.postMessage({ hello: 'port' });
 * ```
 */
interface MessagePort {
  /** Whether a port that was started keeps the process alive: it does at first. */
  ref(): this;
  unref(): this;
  hasRef(): boolean;
}

interface ImportMeta {
  url: string;
  readonly filename: string;
  readonly dirname: string;
  /** Whether this module is the script that fino was asked to run. */
  readonly main: boolean;
  /** The URL that importing it here would load. */
  resolve(specifier: string): string;
}

// For `using`. TypeScript's "ESNext" library has the same.
interface SymbolConstructor {
  readonly dispose: unique symbol;
  readonly asyncDispose: unique symbol;
}
interface Disposable {
  [Symbol.dispose](): void;
}
interface AsyncDisposable {
  [Symbol.asyncDispose](): PromiseLike<void>;
}

// An iterator is disposed of by returning.
interface IteratorObject<T, TReturn, TNext> extends Disposable {}
interface AsyncIteratorObject<T, TReturn, TNext> extends AsyncDisposable {}

/** Two errors of a `using`: what disposing threw while another error, `suppressed`, was on its way. */
interface SuppressedError extends Error {
  error: any;
  suppressed: any;
}
interface SuppressedErrorConstructor {
  new (error: any, suppressed: any, message?: string): SuppressedError;
  (error: any, suppressed: any, message?: string): SuppressedError;
  readonly prototype: SuppressedError;
}
declare var SuppressedError: SuppressedErrorConstructor;

/**
 * Resources to dispose of together, the last one first.
 *
 * @example
 * ```ts
 * {
 *   using stack = new DisposableStack();
 *   stack.use({ [Symbol.dispose]() { console.log('closed'); } });
 *   stack.defer(() => console.log('first'));
 * }
 * ```
 */
interface DisposableStack {
  readonly disposed: boolean;
  dispose(): void;
  /** Adds `value`, which may be null, and returns it. */
  use<T extends Disposable | null | undefined>(value: T): T;
  /** Adds `value` with what disposes of it, and returns it. */
  adopt<T>(value: T, onDispose: (value: T) => void): T;
  /** Adds a function to call. */
  defer(onDispose: () => void): void;
  /** A new stack with all that this one holds, which counts as disposed of then. */
  move(): DisposableStack;
  [Symbol.dispose](): void;
  readonly [Symbol.toStringTag]: string;
}
interface DisposableStackConstructor {
  new (): DisposableStack;
  readonly prototype: DisposableStack;
}
declare var DisposableStack: DisposableStackConstructor;

/** The same for `await using`: each is waited for before the next is disposed of. */
interface AsyncDisposableStack {
  readonly disposed: boolean;
  disposeAsync(): Promise<void>;
  /** Adds `value`, which may be null, and returns it. */
  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T;
  /** Adds `value` with what disposes of it, and returns it. */
  adopt<T>(value: T, onDisposeAsync: (value: T) => PromiseLike<void> | void): T;
  /** Adds a function to call. */
  defer(onDisposeAsync: () => PromiseLike<void> | void): void;
  /** A new stack with all that this one holds, which counts as disposed of then. */
  move(): AsyncDisposableStack;
  [Symbol.asyncDispose](): Promise<void>;
  readonly [Symbol.toStringTag]: string;
}
interface AsyncDisposableStackConstructor {
  new (): AsyncDisposableStack;
  readonly prototype: AsyncDisposableStack;
}
declare var AsyncDisposableStack: AsyncDisposableStackConstructor;
