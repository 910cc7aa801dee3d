// The globals that fino shares with browsers. Programs compiled with TypeScript's "DOM" library have its declarations of
// them instead of these (`fino types --dom`).

declare function setTimeout<Args extends unknown[]>(
  callback: (...args: Args) => void, ms?: number, ...args: Args
): Timeout;
declare function setInterval<Args extends unknown[]>(
  callback: (...args: Args) => void, ms?: number, ...args: Args
): Timeout;
declare function clearTimeout(timeout: Timeout | number | string | undefined | null): void;
declare function clearInterval(timeout: Timeout | number | string | undefined | null): void;
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

declare class Navigator {
  private constructor();
  readonly hardwareConcurrency: number;
  /** "fino/VERSION" */
  readonly userAgent: string;
  readonly platform: string;
}
declare var navigator: Navigator;

declare var self: typeof globalThis;

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
  readonly NONE: 0;
  readonly CAPTURING_PHASE: 1;
  readonly AT_TARGET: 2;
  readonly BUBBLING_PHASE: 3;
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
  /** @deprecated target */
  readonly srcElement: EventTarget | null;
  /** @deprecated stopPropagation() */
  cancelBubble: boolean;
  /** @deprecated defaultPrevented */
  returnValue: boolean;
  /** @deprecated the constructor */
  initEvent(type: string, bubbles?: boolean, cancelable?: boolean): void;
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

type Transferable = ArrayBuffer | MessagePort;

interface MessageEventInit<T = unknown> extends EventInit {
  data?: T;
  ports?: Iterable<MessagePort>;
  origin?: string;
  lastEventId?: string;
  source?: MessagePort | null;
}

declare class MessageEvent<T = any> extends Event {
  constructor(type: string, options?: MessageEventInit<T>);
  readonly data: T;
  readonly ports: readonly MessagePort[];
  readonly origin: string;
  readonly lastEventId: string;
  readonly source: MessagePort | null;
}

declare class MessageChannel {
  readonly port1: MessagePort;
  readonly port2: MessagePort;
}

declare class MessagePort extends EventTarget {
  private constructor();
  /** By the structured clone algorithm; what is transferred is the other side's then. */
  postMessage(message: unknown, transfer?: Iterable<Transferable> | { transfer?: Iterable<Transferable> }): void;
  /** Setting it starts the port. */
  onmessage: ((event: MessageEvent) => unknown) | null;
  onmessageerror: ((event: MessageEvent) => unknown) | null;
  onclose: ((event: Event) => unknown) | null;
  /** Until it is called, or `onmessage` is set, messages wait. */
  start(): void;
  close(): void;
}

interface DOMExceptionCodes {
  readonly INDEX_SIZE_ERR: 1;
  readonly DOMSTRING_SIZE_ERR: 2;
  readonly HIERARCHY_REQUEST_ERR: 3;
  readonly WRONG_DOCUMENT_ERR: 4;
  readonly INVALID_CHARACTER_ERR: 5;
  readonly NO_DATA_ALLOWED_ERR: 6;
  readonly NO_MODIFICATION_ALLOWED_ERR: 7;
  readonly NOT_FOUND_ERR: 8;
  readonly NOT_SUPPORTED_ERR: 9;
  readonly INUSE_ATTRIBUTE_ERR: 10;
  readonly INVALID_STATE_ERR: 11;
  readonly SYNTAX_ERR: 12;
  readonly INVALID_MODIFICATION_ERR: 13;
  readonly NAMESPACE_ERR: 14;
  readonly INVALID_ACCESS_ERR: 15;
  readonly VALIDATION_ERR: 16;
  readonly TYPE_MISMATCH_ERR: 17;
  readonly SECURITY_ERR: 18;
  readonly NETWORK_ERR: 19;
  readonly ABORT_ERR: 20;
  readonly URL_MISMATCH_ERR: 21;
  readonly QUOTA_EXCEEDED_ERR: 22;
  readonly TIMEOUT_ERR: 23;
  readonly INVALID_NODE_TYPE_ERR: 24;
  readonly DATA_CLONE_ERR: 25;
}

interface DOMException extends Error, DOMExceptionCodes {
  readonly code: number;
}
interface DOMExceptionConstructor extends DOMExceptionCodes {
  new (message?: string, name?: string | { name?: string; cause?: unknown }): DOMException;
  readonly prototype: DOMException;
}
declare var DOMException: DOMExceptionConstructor;

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
declare function structuredClone<Value>(value: Value, options?: { transfer?: Iterable<Transferable> }): Value;

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

type BlobPart = string | ArrayBuffer | ArrayBufferView | Blob;

/** Bytes that don't change, and their type of media. All of them are in memory; a slice shares them. */
declare class Blob {
  /** `endings`: 'native' makes every line end of strings one LF. */
  constructor(parts?: Iterable<BlobPart>, options?: { type?: string; endings?: 'transparent' | 'native' });
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  stream(): ReadableStream<Uint8Array>;
  slice(start?: number, end?: number, type?: string): Blob;
}

/** A Blob that has a name: what a form sends as a file. It is no file of the disk's. */
declare class File extends Blob {
  constructor(parts: Iterable<BlobPart>, name: string,
    options?: { type?: string; endings?: 'transparent' | 'native'; lastModified?: number });
  readonly name: string;
  /** In milliseconds, as Date.now() has it. */
  readonly lastModified: number;
}

/**
 * The fields of a form. As a body it is sent as multipart/form-data.
 *
 * @example
 * ```ts
 * const form = new FormData();
 * form.append('name', 'Ada');
 * form.append('picture', new Blob(['...'], { type: 'image/png' }), 'ada.png');
 * const request = new Request('http://localhost/', { method: 'POST', body: form });
 * const received = await request.formData();
 * console.log(received.get('name')); // Ada
 * const picture = received.get('picture');
 * if (picture instanceof File) console.log(picture.name, picture.type, picture.size); // ada.png image/png 3
 * ```
 */
declare class FormData implements Iterable<[string, string | File]> {
  constructor();
  append(name: string, value: string): void;
  append(name: string, value: Blob, filename?: string): void;
  delete(name: string): void;
  get(name: string): string | File | null;
  getAll(name: string): (string | File)[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  set(name: string, value: Blob, filename?: string): void;
  forEach(callback: (value: string | File, name: string, form: FormData) => void, thisArgument?: unknown): void;
  entries(): IterableIterator<[string, string | File]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string | File>;
  [Symbol.iterator](): IterableIterator<[string, string | File]>;
}

type BodySource = string | ArrayBuffer | ArrayBufferView | Blob | FormData | URLSearchParams | ReadableStream<string | Uint8Array> |
  AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
type HeadersSource = Headers | Iterable<readonly [string, string]> | Record<string, string>;

/** Names (in lower case) and values of a message's fields. */
declare class Headers {
  constructor(init?: HeadersSource);
  append(name: string, value: string): void;
  delete(name: string): void;
  /** All values of that name, joined by a comma; null when there is none. */
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArgument?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

interface MessageBody {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array>;
  /** Of multipart/form-data, or application/x-www-form-urlencoded. */
  formData(): Promise<FormData>;
  json(): Promise<any>;
  text(): Promise<string>;
}

interface RequestInit {
  method?: string;
  headers?: HeadersSource;
  body?: BodySource | null;
  redirect?: 'follow' | 'manual' | 'error';
  signal?: AbortSignal | null;
}

interface Request extends MessageBody {}
declare class Request {
  constructor(input: string | URL | Request, init?: RequestInit);
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: 'follow' | 'manual' | 'error';
  /** Of a request that came to a server: aborts when the client is found to be gone. */
  readonly signal: AbortSignal;
  clone(): Request;
}

interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersSource;
}

interface Response extends MessageBody {}
declare class Response {
  constructor(body?: BodySource | null, init?: ResponseInit);
  static json(data: unknown, init?: ResponseInit): Response;
  static redirect(url: string | URL, status?: 301 | 302 | 303 | 307 | 308): Response;
  static error(): Response;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly type: 'default' | 'error';
  readonly url: string;
  readonly redirected: boolean;
  clone(): Response;
}

declare class ReadableStreamDefaultController<T = any> {
  private constructor();
  readonly desiredSize: number | null;
  enqueue(chunk: T): void;
  close(): void;
  error(reason?: unknown): void;
}

declare class ReadableStreamDefaultReader<T = any> {
  constructor(stream: ReadableStream<T>);
  readonly closed: Promise<undefined>;
  read(): Promise<{ done: false; value: T } | { done: true; value: undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

interface ReadableStreamSource<T> {
  start?(controller: ReadableStreamDefaultController<T>): unknown;
  /** Called when somebody wants more than is queued. */
  pull?(controller: ReadableStreamDefaultController<T>): unknown;
  cancel?(reason?: unknown): unknown;
}

declare class ReadableStream<T = any> implements AsyncIterable<T> {
  constructor(source?: ReadableStreamSource<T>, strategy?: { highWaterMark?: number; size?(chunk: T): number });
  static from<T>(iterable: AsyncIterable<T> | Iterable<T | PromiseLike<T>>): ReadableStream<T>;
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(): ReadableStreamDefaultReader<T>;
  tee(): [ReadableStream<T>, ReadableStream<T>];
  pipeTo(destination: WritableStream<T>, options?: PipeOptions): Promise<void>;
  pipeThrough<R>(transform: { readable: ReadableStream<R>; writable: WritableStream<T> }, options?: PipeOptions):
    ReadableStream<R>;
  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<T>;
  [Symbol.asyncIterator](): AsyncIterableIterator<T>;
}

interface PipeOptions {
  preventAbort?: boolean;
  preventCancel?: boolean;
  preventClose?: boolean;
  signal?: AbortSignal;
}

declare class WritableStreamDefaultController {
  private constructor();
  readonly signal: AbortSignal;
  error(reason?: unknown): void;
}
declare class WritableStreamDefaultWriter<T = any> {
  constructor(stream: WritableStream<T>);
  readonly closed: Promise<undefined>;
  readonly ready: Promise<undefined>;
  readonly desiredSize: number | null;
  write(chunk: T): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
  releaseLock(): void;
}
declare class WritableStream<T = any> {
  constructor(sink?: {
    start?(controller: WritableStreamDefaultController): unknown;
    write?(chunk: T, controller: WritableStreamDefaultController): unknown;
    close?(): unknown;
    abort?(reason?: unknown): unknown;
  }, strategy?: { highWaterMark?: number; size?(chunk: T): number });
  readonly locked: boolean;
  getWriter(): WritableStreamDefaultWriter<T>;
  abort(reason?: unknown): Promise<void>;
  close(): Promise<void>;
}
declare class TransformStreamDefaultController<T = any> {
  private constructor();
  readonly desiredSize: number | null;
  enqueue(chunk: T): void;
  error(reason?: unknown): void;
  terminate(): void;
}
declare class TransformStream<I = any, O = any> {
  constructor(transformer?: {
    start?(controller: TransformStreamDefaultController<O>): unknown;
    transform?(chunk: I, controller: TransformStreamDefaultController<O>): unknown;
    flush?(controller: TransformStreamDefaultController<O>): unknown;
    cancel?(reason?: unknown): unknown;
  }, writableStrategy?: { highWaterMark?: number; size?(chunk: I): number },
    readableStrategy?: { highWaterMark?: number; size?(chunk: O): number });
  readonly readable: ReadableStream<O>;
  readonly writable: WritableStream<I>;
}
declare class CountQueuingStrategy {
  constructor(init: { highWaterMark: number });
  readonly highWaterMark: number;
  readonly size: (chunk?: any) => 1;
}
declare class ByteLengthQueuingStrategy {
  constructor(init: { highWaterMark: number });
  readonly highWaterMark: number;
  readonly size: (chunk: ArrayBufferView | ArrayBufferLike) => number;
}
declare class TextEncoderStream {
  readonly encoding: 'utf-8';
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<string>;
}
declare class TextDecoderStream {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<Uint8Array>;
}

/** HTTP/1.1 over plain TCP: there is no TLS, and an https URL is an error. */
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;

declare namespace WebAssembly {
  type ValueType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128' | 'externref' | 'anyfunc' | 'funcref';
  type ImportExportKind = 'function' | 'global' | 'memory' | 'table' | 'tag';
  type ExportValue = Function | Global | Memory | Table | Tag;
  type ImportValue = ExportValue | number | bigint;
  type Imports = Record<string, Record<string, ImportValue>>;
  type Bytes = ArrayBufferLike | ArrayBufferView;

  function validate(bytes: Bytes): boolean;
  function compile(bytes: Bytes): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
  function instantiate(bytes: Bytes, imports?: Imports): Promise<{ module: Module; instance: Instance }>;

  class Module {
    constructor(bytes: Bytes);
    static exports(module: Module): { name: string; kind: ImportExportKind }[];
    static imports(module: Module): { module: string; name: string; kind: ImportExportKind }[];
    static customSections(module: Module, name: string): ArrayBuffer[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Record<string, any>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Table {
    constructor(descriptor: { element: 'externref' | 'anyfunc'; initial: number; maximum?: number }, value?: any);
    readonly length: number;
    get(index: number): any;
    set(index: number, value?: any): void;
    grow(count: number, value?: any): number;
  }
  class Global<T = any> {
    constructor(descriptor: { value: ValueType; mutable?: boolean }, value?: T);
    value: T;
    valueOf(): T;
  }
  class Tag {
    constructor(type: { parameters: Iterable<ValueType> });
  }
  class Exception {
    constructor(tag: Tag, payload: Iterable<unknown>, options?: { traceStack?: boolean });
    is(tag: Tag): boolean;
    getArg(tag: Tag, index: number): any;
  }
  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}
}
