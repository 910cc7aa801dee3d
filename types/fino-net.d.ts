// The modules fino:net/http, fino:net/http/server and fino:net/tcp, and the globals of HTTP messages.

type BodySource = string | ArrayBuffer | ArrayBufferView | URLSearchParams | ReadableStream<string | Uint8Array> |
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

interface Body {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
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

interface Request extends Body {}
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

interface Response extends Body {}
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

interface ReadableStreamDefaultController<T = any> {
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
  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<T>;
  [Symbol.asyncIterator](): AsyncIterableIterator<T>;
}

/** HTTP/1.1 over plain TCP: there is no TLS, and an https URL is an error. */
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;

// The globals under names that don't hide them inside of the module that exports them.
type GlobalHeaders = Headers;
type GlobalRequest = Request;
type GlobalResponse = Response;
type HttpGlobals = {
  Headers: typeof Headers; Request: typeof Request; Response: typeof Response; fetch: typeof fetch;
};

declare module 'fino:net/http' {
  const exported: HttpGlobals;
  export default exported;
  export const Headers: HttpGlobals['Headers'];
  export type Headers = GlobalHeaders;
  export const Request: HttpGlobals['Request'];
  export type Request = GlobalRequest;
  export const Response: HttpGlobals['Response'];
  export type Response = GlobalResponse;
  export const fetch: HttpGlobals['fetch'];
}

declare module 'fino:net/http/server' {
  interface ServeOptions {
    /** 0, the default: one that is free, which `server.port` tells. */
    port?: number;
    /** An address, or localhost. The default is 127.0.0.1; '0.0.0.0' or '::' is all of the machine's. */
    hostname?: string;
    /** Lets other processes listen on the same port, and share its connections. */
    reusePort?: boolean;
    backlog?: number;
    /** Of a request's head; more is answered with 431 (16384 bytes, 100 fields). */
    headersLimitBytes?: number;
    headersLimitCount?: number;
    /** Of a request's body; more is answered with 413 (64 MB). Infinity: no limit. */
    bodyLimitBytes?: number;
    /** From the first byte of a request's head to its last; then 408 (10 s). 0: no limit. */
    headersTimeoutMs?: number;
    /** For the client to send its next request or piece of body, or to receive something (60 s). 0: no limit. */
    idleTimeoutMs?: number;
    /** Makes the answer when the handler throws. By default the error is printed and the answer is 500. */
    onError?(error: unknown, request: Request): Response | Promise<Response>;
  }

  type Handler = (request: Request) => Response | Promise<Response>;

  class HttpServer {
    private constructor();
    readonly hostname: string;
    readonly port: number;
    readonly url: string;
    /** It listens as soon as serveHttp returns: for symmetry. */
    readonly ready: Promise<HttpServer>;
    /** Settles when the last connection is closed. */
    readonly closed: Promise<void>;
    /** Listens no longer and lets the requests under way finish; `force`: cuts them off. Returns `closed`. */
    close(options?: { force?: boolean }): Promise<void>;
  }

  function serveHttp(options: ServeOptions, handler: Handler): HttpServer;
  function serveHttp(handler: Handler): HttpServer;

  const exported: { HttpServer: typeof HttpServer; serveHttp: typeof serveHttp };
  export default exported;
  export { Handler, HttpServer, ServeOptions, serveHttp };
}

declare module 'fino:net/tcp' {
  class TcpConnection implements AsyncIterable<Uint8Array> {
    private constructor();
    readonly localAddress: string;
    readonly localPort: number;
    readonly remoteAddress: string;
    readonly remotePort: number;
    readonly closed: Promise<void>;
    /** What has arrived; null when the other side has ended. One read at a time. */
    read(): Promise<Uint8Array | null>;
    /** Settles when the system has taken all of it. Writes are done in the order they were asked for. */
    write(data: string | ArrayBuffer | ArrayBufferView): Promise<void>;
    /** Nothing more will be written; the other side may go on. */
    end(): Promise<void>;
    close(): void;
    /** Whether the process stays alive for this connection: it does at first. */
    ref(): this;
    unref(): this;
    [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array>;
  }

  class TcpServer {
    private constructor();
    readonly hostname: string;
    readonly port: number;
    readonly closed: Promise<void>;
    /** Accepts no more; connections go on. */
    close(): Promise<void>;
  }

  interface ConnectOptions {
    port: number;
    /** A name or an address (127.0.0.1). */
    hostname?: string;
    signal?: AbortSignal;
  }

  interface ListenOptions {
    port?: number;
    hostname?: string;
    backlog?: number;
    reusePort?: boolean;
  }

  function connect(options: ConnectOptions): Promise<TcpConnection>;
  function listen(options: ListenOptions, handler: (connection: TcpConnection) => unknown): TcpServer;

  const exported: {
    TcpConnection: typeof TcpConnection; TcpServer: typeof TcpServer; connect: typeof connect; listen: typeof listen;
  };
  export default exported;
  export { ConnectOptions, ListenOptions, TcpConnection, TcpServer, connect, listen };
}
