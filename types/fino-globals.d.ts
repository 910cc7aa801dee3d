// fino's globals, for programs compiled with "lib": ["ES2022"]: without "DOM" and without @types/node, which would
// clash.

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

declare function setTimeout<Args extends unknown[]>(
  callback: (...args: Args) => void, ms?: number, ...args: Args
): Timeout;
declare function setInterval<Args extends unknown[]>(
  callback: (...args: Args) => void, ms?: number, ...args: Args
): Timeout;
declare function setImmediate<Args extends unknown[]>(callback: (...args: Args) => void, ...args: Args): Immediate;
declare function clearTimeout(timeout: Timeout | number | string | undefined | null): void;
declare function clearInterval(timeout: Timeout | number | string | undefined | null): void;
declare function clearImmediate(immediate: Immediate | undefined | null): void;
declare function queueMicrotask(callback: () => void): void;
declare function reportError(error: unknown): void;

interface InspectOptions {
  depth?: number | null;
  colors?: boolean;
  compact?: boolean | number;
  breakLength?: number;
  maxArrayLength?: number | null;
  maxStringLength?: number | null;
  showHidden?: boolean;
  showProxy?: boolean;
  sorted?: boolean | ((a: string, b: string) => number);
  getters?: boolean | 'get' | 'set';
  numericSeparator?: boolean;
  customInspect?: boolean;
}

interface Console {
  log(...data: unknown[]): void;
  info(...data: unknown[]): void;
  debug(...data: unknown[]): void;
  warn(...data: unknown[]): void;
  error(...data: unknown[]): void;
  trace(...data: unknown[]): void;
  assert(condition?: unknown, ...data: unknown[]): void;
  dir(value: unknown, options?: InspectOptions): void;
  dirxml(...data: unknown[]): void;
  table(data: unknown, columns?: readonly string[]): void;
  group(...data: unknown[]): void;
  groupCollapsed(...data: unknown[]): void;
  groupEnd(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: unknown[]): void;
  timeEnd(label?: string): void;
  clear(): void;
}
declare var console: Console;

interface Navigator {
  readonly hardwareConcurrency: number;
  /** "fino/VERSION" */
  readonly userAgent: string;
  readonly platform: string;
}
declare var navigator: Navigator;

declare var self: typeof globalThis;

interface ImportMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
  /** Whether this module is the script that fino was asked to run. */
  readonly main: boolean;
}

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}

declare class Event {
  constructor(type: string, options?: EventInit);
  static readonly NONE: 0;
  static readonly CAPTURING_PHASE: 1;
  static readonly AT_TARGET: 2;
  static readonly BUBBLING_PHASE: 3;
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly eventPhase: number;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly defaultPrevented: boolean;
  readonly isTrusted: boolean;
  readonly timeStamp: number;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}

declare class CustomEvent<Detail = unknown> extends Event {
  constructor(type: string, options?: EventInit & { detail?: Detail });
  readonly detail: Detail;
}

declare class ErrorEvent extends Event {
  constructor(type: string, options?: EventInit & {
    message?: string; filename?: string; lineno?: number; colno?: number; error?: unknown;
  });
  readonly message: string;
  readonly filename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly error: unknown;
}

declare class PromiseRejectionEvent extends Event {
  constructor(type: string, options: EventInit & { promise: Promise<unknown>; reason?: unknown });
  readonly promise: Promise<unknown>;
  readonly reason: unknown;
}

type EventListener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown };

interface ListenerOptions {
  capture?: boolean;
  once?: boolean;
  passive?: boolean;
  signal?: AbortSignal;
}

declare class EventTarget {
  addEventListener(type: string, listener: EventListener | null, options?: boolean | ListenerOptions): void;
  removeEventListener(type: string, listener: EventListener | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}

declare class AbortSignal extends EventTarget {
  private constructor();
  static abort(reason?: unknown): AbortSignal;
  static timeout(milliseconds: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => unknown) | null;
  throwIfAborted(): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare class DOMException extends Error {
  constructor(message?: string, name?: string | { name?: string; cause?: unknown });
  readonly code: number;
}

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Iterable<Iterable<string>> | Record<string, string | number | boolean>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArgument?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

declare class TextEncoder {
  readonly encoding: 'utf-8';
  encode(input?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  /** UTF-8, UTF-16LE, UTF-16BE or windows-1252, by any of their labels. */
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: ArrayBufferLike | ArrayBufferView, options?: { stream?: boolean }): string;
}

declare function atob(data: string): string;
declare function btoa(data: string): string;
declare function structuredClone<Value>(value: Value, options?: { transfer?: Iterable<ArrayBuffer> }): Value;

declare class PerformanceEntry {
  readonly name: string;
  readonly entryType: string;
  readonly startTime: number;
  readonly duration: number;
  toJSON(): unknown;
}

declare class PerformanceMark extends PerformanceEntry {
  constructor(name: string, options?: { detail?: unknown; startTime?: number });
  readonly detail: any;
}

declare class PerformanceMeasure extends PerformanceEntry {
  private constructor();
  readonly detail: any;
}

declare class Performance extends EventTarget {
  private constructor();
  readonly timeOrigin: number;
  now(): number;
  mark(name: string, options?: { detail?: unknown; startTime?: number }): PerformanceMark;
  measure(name: string, start?: string | number, end?: string): PerformanceMeasure;
  measure(name: string, options: {
    detail?: unknown; start?: string | number; end?: string | number; duration?: number;
  }): PerformanceMeasure;
  clearMarks(name?: string): void;
  clearMeasures(name?: string): void;
  getEntries(): PerformanceEntry[];
  getEntriesByType(type: string): PerformanceEntry[];
  getEntriesByName(name: string, type?: string): PerformanceEntry[];
  toJSON(): { timeOrigin: number };
}
declare var performance: Performance;
