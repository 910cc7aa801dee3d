// The modules fino:net/http, fino:net/http/server and fino:net/tcp.

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
  /**
   * The classes of HTTP messages, which are also global.
   *
   * @example
   * ```ts
   * import { Headers, Response } from 'fino:net/http';
   * const response = new Response('text', { status: 201, headers: new Headers({ 'x-a': '1' }) });
   * console.log(response.ok, response.headers.get('X-A'), await response.text()); // true 1 text
   * ```
   */
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
    /** Asked about each connection before anything is read from it: false closes it. */
    accept?(peer: { remoteAddress: string; remotePort: number }): boolean;
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
    [Symbol.asyncDispose](): Promise<void>;
    /** close(), without waiting for what is under way. */
    [Symbol.dispose](): void;
  }

  /**
   * Serves HTTP/1.1. What the handler throws is answered with 500.
   *
   * @example
   * ```ts
   * import { serveHttp } from 'fino:net/http/server';
   * await using server = serveHttp({ port: 0 }, async (request) => {
   *   const { pathname } = new URL(request.url);
   *   if (request.method === 'POST') return new Response(await request.text());
   *   return Response.json({ path: pathname });
   * });
   * console.log(await (await fetch(`${server.url}a/b`)).text()); // {"path":"/a/b"}
   * console.log(await (await fetch(server.url, { method: 'POST', body: 'sent' })).text()); // sent
   * ```
   */
  function serveHttp(options: ServeOptions, handler: Handler): HttpServer;
  function serveHttp(handler: Handler): HttpServer;
  /** The same. */
  const serve: typeof serveHttp;

  const exported: { HttpServer: typeof HttpServer; serve: typeof serveHttp; serveHttp: typeof serveHttp };
  export default exported;
  export { Handler, HttpServer, ServeOptions, serve, serveHttp };
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
    [Symbol.asyncDispose](): Promise<void>;
    [Symbol.dispose](): void;
  }

  class TcpServer {
    private constructor();
    readonly hostname: string;
    readonly port: number;
    readonly closed: Promise<void>;
    /** Accepts no more; connections go on. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    [Symbol.dispose](): void;
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
  /**
   * Listens for connections. The handler is called with each.
   *
   * @example
   * ```ts
   * import { connect, listen } from 'fino:net/tcp';
   * using server = listen({ port: 0 }, async (connection) => {
   *   for await (const bytes of connection) await connection.write(bytes); // echo
   *   connection.close();
   * });
   * using connection = await connect({ port: server.port });
   * await connection.write('hello');
   * await connection.end();
   * for await (const bytes of connection) console.log(new TextDecoder().decode(bytes)); // hello
   * ```
   */
  function listen(options: ListenOptions, handler: (connection: TcpConnection) => unknown): TcpServer;

  const exported: {
    TcpConnection: typeof TcpConnection; TcpServer: typeof TcpServer; connect: typeof connect; listen: typeof listen;
  };
  export default exported;
  export { ConnectOptions, ListenOptions, TcpConnection, TcpServer, connect, listen };
}
