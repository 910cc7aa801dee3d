// fino:net/tcp: connections that are read and written with promises, and listeners that hand them out.
'use strict';

const {
  Number, ObjectAssign, ObjectCreate, Promise, PromisePrototypeThen, PromiseReject,
  RangeError, SafeMap, Symbol, SymbolAsyncIterator, TypeError, TypedArrayPrototypeGetByteLength,
} = internal.primordials;
const { bytesOf, customInspect, defineHidden, describe, dictionary, errorWithCode, needFunction } = internal;
const {
  lookup, tcpAddresses, tcpClose, tcpConnect, tcpListen, tcpRead, tcpRef, tcpShutdown, tcpStart, tcpWrite, utf8Encode,
} = native;

// As in mod_tcp.c.
const EVENT_CONNECTED = 0;
const EVENT_ERROR = 1;
const EVENT_READABLE = 2;
const EVENT_WRITABLE = 3;

const owners = new SafeMap(); // number -> what takes its events

tcpStart((id, event, value) => { owners.get(id)?.(event, value); });

const closedError = () => errorWithCode('The connection is closed', 'ERR_CLOSED');

function toBytes(data) {
  if (typeof data === 'string') return utf8Encode(data);
  const bytes = bytesOf(data);
  if (bytes !== undefined) return bytes;
  throw new TypeError(`write: data must be a string or bytes, not ${describe(data)}`);
}

class TcpConnection {
  #id;
  #addresses;
  #reading = undefined; // of the read that waits: {resolve, reject}
  #writing = undefined; // of the write that waits
  #lastWrite = undefined; // the end of those that were begun
  #isEnded = false;
  #closed;
  #onClosed;

  constructor(id) {
    if (typeof id !== 'number') throw new TypeError('Illegal constructor');
    this.#id = id;
    this.#addresses = tcpAddresses(id);
    this.#closed = new Promise((resolve) => { this.#onClosed = resolve; });
    owners.set(id, (event) => this.#onEvent(event));
  }

  #onEvent(event) {
    if (event === EVENT_READABLE) {
      const reading = this.#reading;
      this.#reading = undefined;
      if (reading !== undefined) this.#read(reading.resolve, reading.reject);
    } else if (event === EVENT_WRITABLE) {
      const writing = this.#writing;
      this.#writing = undefined;
      writing?.();
    }
  }

  #read(resolve, reject) {
    try {
      const bytes = tcpRead(this.#id);
      if (bytes === undefined) this.#reading = { resolve, reject };
      else resolve(bytes);
    } catch (error) {
      reject(error);
    }
  }

  // read(): what has arrived, or null at the end.
  read() {
    if (this.#id === -1) return PromiseReject(closedError());
    if (this.#reading !== undefined) return PromiseReject(new TypeError('read: another read is waiting'));
    return new Promise((resolve, reject) => this.#read(resolve, reject));
  }

  async #write(bytes) {
    let start = 0;
    const end = TypedArrayPrototypeGetByteLength(bytes);
    while (start < end) {
      if (this.#id === -1) throw closedError();
      start += tcpWrite(this.#id, bytes, start);
      if (start < end) await new Promise((resolve) => { this.#writing = resolve; });
    }
  }

  // write(data): settles when the system has taken all of it. Writes are done in the order they were asked for.
  write(data) {
    if (this.#isEnded) return PromiseReject(closedError());
    let bytes;
    try {
      bytes = toBytes(data);
    } catch (error) {
      return PromiseReject(error);
    }
    const before = this.#lastWrite;
    const mine = before === undefined ? this.#write(bytes) : PromisePrototypeThen(before, () => this.#write(bytes));
    this.#lastWrite = mine;
    const done = () => { if (this.#lastWrite === mine) this.#lastWrite = undefined; };
    PromisePrototypeThen(mine, done, done);
    return mine;
  }

  // end(): what was written is all; the other side may go on.
  async end() {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#lastWrite;
    if (this.#id !== -1) tcpShutdown(this.#id);
  }

  close() {
    if (this.#id === -1) return;
    owners.delete(this.#id);
    tcpClose(this.#id);
    this.#id = -1;
    this.#isEnded = true;
    this.#reading?.reject(closedError());
    this.#writing?.();
    this.#reading = this.#writing = undefined;
    this.#onClosed(undefined);
  }

  ref() {
    if (this.#id !== -1) tcpRef(this.#id, true);
    return this;
  }

  unref() {
    if (this.#id !== -1) tcpRef(this.#id, false);
    return this;
  }

  get closed() { return this.#closed; }
  get localAddress() { return this.#addresses[0]; }
  get localPort() { return this.#addresses[1]; }
  get remoteAddress() { return this.#addresses[2]; }
  get remotePort() { return this.#addresses[3]; }

  async* [SymbolAsyncIterator]() {
    for (;;) {
      const bytes = await this.read();
      if (bytes === null) return;
      yield bytes;
    }
  }

  async [Symbol.asyncDispose]() { this.close(); }
  [Symbol.dispose]() { this.close(); }

  static {
    defineHidden(this.prototype, customInspect, function (depth, options, inspect) {
      if (typeof this !== 'object' || !(#id in this)) return this;
      const { localAddress, localPort, remoteAddress, remotePort } = this;
      const isClosed = this.#id === -1;
      return `TcpConnection ${inspect({ localAddress, localPort, remoteAddress, remotePort, isClosed }, options)}`;
    });
  }
}

// resolveHost(host): a promise of its address.
function resolveHost(host) {
  return new Promise((resolve, reject) => {
    const address = lookup(host, (error, found) => {
      if (error === null) {
        resolve(found);
      } else {
        error.message = `${host}: ${error.message}`;
        reject(error);
      }
    });
    if (address !== undefined) resolve(address);
  });
}

function toPort(value, where, lowest) {
  const port = Number(value);
  if (!(port >= lowest && port <= 65535 && port % 1 === 0)) {
    throw new RangeError(`${where}: port must be a whole number from ${lowest} to 65535, not ${describe(value)}`);
  }
  return port;
}

async function connect(options) {
  const { hostname = '127.0.0.1', port, signal } = dictionary(options, 'connect: options');
  const number = toPort(port, 'connect', 1);
  signal?.throwIfAborted();
  const address = await resolveHost(`${hostname}`);
  signal?.throwIfAborted();
  const id = tcpConnect(address, number);
  let forget;
  try {
    await new Promise((resolve, reject) => {
      owners.set(id, (event, value) => {
        if (event === EVENT_CONNECTED) resolve(undefined);
        else if (event === EVENT_ERROR) reject(value);
      });
      if (signal !== undefined) forget = internal.onAbort(signal, () => reject(signal.reason));
    });
  } catch (error) {
    owners.delete(id);
    tcpClose(id);
    if (error?.syscall === 'connect') error.message = `${error.message} (${address} port ${number})`;
    throw error;
  } finally {
    forget?.();
  }
  return new TcpConnection(id);
}

class TcpServer {
  #id;
  #hostname;
  #port;
  #closed;
  #onClosed;

  constructor(id) {
    if (typeof id !== 'number') throw new TypeError('Illegal constructor');
    this.#id = id;
    const addresses = tcpAddresses(id);
    this.#hostname = addresses[0];
    this.#port = addresses[1];
    this.#closed = new Promise((resolve) => { this.#onClosed = resolve; });
  }

  get hostname() { return this.#hostname; }
  get port() { return this.#port; }
  get closed() { return this.#closed; }

  // close(): accepts no more; connections go on.
  close() {
    if (this.#id !== -1) {
      owners.delete(this.#id);
      tcpClose(this.#id);
      this.#id = -1;
      this.#onClosed(undefined);
    }
    return this.#closed;
  }

  [Symbol.asyncDispose]() { return this.close(); }
  [Symbol.dispose]() { this.close(); }
}

function listen(options, handler) {
  const { hostname = '127.0.0.1', port = 0, backlog = 511, reusePort = false } =
    dictionary(options, 'listen: options');
  needFunction(handler, 'listen: handler');
  const id = tcpListen(`${hostname}`, toPort(port, 'listen', 0), backlog, reusePort === true);
  owners.set(id, (event, accepted) => {
    const connection = new TcpConnection(accepted);
    const result = handler(connection);
    // What an asynchronous handler throws ends its connection, and is seen as any rejection is.
    if (result instanceof Promise) PromisePrototypeThen(result, undefined, (error) => {
      connection.close();
      throw error;
    });
  });
  return new TcpServer(id);
}

internal.tcpConnect = connect;
const exported = { __proto__: null, TcpConnection, TcpServer, connect, listen };
internal.tcpModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
