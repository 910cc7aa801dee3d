// fino:file: the disk. What takes time is done by C on threads of its own; here arguments are checked, and what comes
// back gets its shape.
'use strict';

const {
  ArrayBufferIsView, ArrayPrototypePush, Date, Error, ErrorCaptureStackTrace, FinalizationRegistry,
  FinalizationRegistryPrototypeRegister, FinalizationRegistryPrototypeUnregister, Float64Array, NumberIsInteger,
  ObjectAssign, ObjectCreate, RangeError, Symbol, SymbolAsyncIterator, TypeError, TypedArrayPrototypeGetByteLength, TypedArrayPrototypeGetSymbolToStringTag,
  TypedArrayPrototypeSet, TypedArrayPrototypeSubarray, Uint8Array,
} = internal.primordials;
const { describe, dictionary } = internal;
const { fileOperations: operations, typeTag: tagOf } = native;

const ATOMIC = 1;
const RECURSIVE = 2;
const EXCLUSIVE = 4;
const NO_FOLLOW = 8;
const SYNC = 16;
const DATA_ONLY = 32;

const DEFAULT_FILE_MODE = 0o666;
const DEFAULT_DIRECTORY_MODE = 0o777;
const CHUNK_BYTES = 65536;
const MAX_SAFE_INTEGER = 2 ** 53 - 1;

// --- arguments -------------------------------------------------------------------------------------------------------

function toPath(path, where) {
  if (typeof path === 'string') return path;
  if (typeof path === 'object' && path !== null) {
    if (TypedArrayPrototypeGetSymbolToStringTag(path) === 'Uint8Array') return path;
    if (path instanceof internal.URL) return internal.fromFileUrl(path);
  }
  throw new TypeError(`${where}: a path must be a string, a file: URL or a Uint8Array, not ${describe(path)}`);
}

function toMode(mode, otherwise, where) {
  if (mode === undefined) return otherwise;
  if (typeof mode !== 'number' || !NumberIsInteger(mode) || mode < 0 || mode > 0o7777) {
    throw new RangeError(`${where}: mode must be an integer from 0 to 0o7777, not ${describe(mode)}`);
  }
  return mode;
}

function toCount(value, name, where) {
  if (typeof value !== 'number' || !NumberIsInteger(value) || value < 0 || value > MAX_SAFE_INTEGER) {
    throw new RangeError(`${where}: ${name} must be an integer from 0 on, not ${describe(value)}`);
  }
  return value;
}

const isBuffer = (value) => ArrayBufferIsView(value) || tagOf(value) === 'ArrayBuffer' || tagOf(value) === 'SharedArrayBuffer';

function toData(data, where) {
  if (typeof data === 'string' || isBuffer(data)) return data;
  throw new TypeError(`${where}: data must be a string, an ArrayBuffer or a view of one, not ${describe(data)}`);
}

// --- calls -----------------------------------------------------------------------------------------------------------

let lastTicket = 0;

// run(signal, operation, target, ...): what C answers. An error's stack is that of the caller, which C can't know.
async function run(signal, operation, target, path, other, flags, number, data) {
  let ticket;
  let undo;
  if (signal !== undefined && signal !== null) {
    if (!internal.isAbortSignal(signal)) throw new TypeError(`signal must be an AbortSignal, not ${describe(signal)}`);
    signal.throwIfAborted();
    ticket = ++lastTicket;
    undo = internal.onAbort(signal, () => { native.fileCancel(ticket); });
  }
  try {
    return await native.fileDo(operation, ticket, target, path, other, flags, number, data);
  } catch (error) {
    if (undo !== undefined && signal.aborted) throw signal.reason;
    ErrorCaptureStackTrace(error, run);
    throw error;
  } finally {
    if (undo !== undefined) undo();
  }
}

// Closes what was forgotten.
const forgotten = new FinalizationRegistry((id) => { native.fileDo(operations.close, undefined, id); });
const keep = (holder, id) => { FinalizationRegistryPrototypeRegister(forgotten, holder, id, holder); };

// --- what files are --------------------------------------------------------------------------------------------------

const TYPE_MASK = 0o170000;
const MODE_FIELD = 2; // of a status
const kinds = {
  __proto__: null,
  [0o010000]: 'fifo', [0o020000]: 'character', [0o040000]: 'directory', [0o060000]: 'block', [0o100000]: 'file',
  [0o120000]: 'symlink', [0o140000]: 'socket',
};
// As directories have them: the same, twelve bits lower.
const kindOfEntry = (type) => kinds[type << 12] ?? 'unknown';

class FileStat {
  constructor(fields) {
    const names = ['dev', 'ino', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'size', 'blksize', 'blocks', 'atimeMs', 'mtimeMs',
      'ctimeMs', 'birthtimeMs'];
    for (let i = 0; i < names.length; i++) this[names[i]] = fields[i];
  }

  get kind() { return kinds[this.mode & TYPE_MASK] ?? 'unknown'; }
  get atime() { return new Date(this.atimeMs); }
  get mtime() { return new Date(this.mtimeMs); }
  get ctime() { return new Date(this.ctimeMs); }
  get birthtime() { return new Date(this.birthtimeMs); }
  isFile() { return this.kind === 'file'; }
  isDirectory() { return this.kind === 'directory'; }
  isSymbolicLink() { return this.kind === 'symlink'; }
  isFIFO() { return this.kind === 'fifo'; }
  isSocket() { return this.kind === 'socket'; }
  isCharacterDevice() { return this.kind === 'character'; }
  isBlockDevice() { return this.kind === 'block'; }
}

class DirectoryEntry {
  constructor(name, kind) {
    this.name = name;
    this.kind = kind;
  }

  isFile() { return this.kind === 'file'; }
  isDirectory() { return this.kind === 'directory'; }
  isSymbolicLink() { return this.kind === 'symlink'; }
}

// --- open files ------------------------------------------------------------------------------------------------------

const O_WRONLY = 1;
const O_RDWR = 2;
const O_CREAT = 0o100;
const O_EXCL = 0o200;
const O_TRUNC = 0o1000;
const O_APPEND = 0o2000;

const openModes = {
  __proto__: null,
  r: 0, 'r+': O_RDWR,
  w: O_WRONLY | O_CREAT | O_TRUNC, 'w+': O_RDWR | O_CREAT | O_TRUNC,
  wx: O_WRONLY | O_CREAT | O_EXCL, 'wx+': O_RDWR | O_CREAT | O_EXCL,
  a: O_WRONLY | O_CREAT | O_APPEND, 'a+': O_RDWR | O_CREAT | O_APPEND,
  ax: O_WRONLY | O_CREAT | O_APPEND | O_EXCL, 'ax+': O_RDWR | O_CREAT | O_APPEND | O_EXCL,
};

const key = {}; // lets this file, and no other, make handles

// join(chunks, length): their bytes, one after the other.
function join(chunks, length) {
  const joined = new Uint8Array(length);
  for (let i = 0, at = 0; i < chunks.length; i++) {
    TypedArrayPrototypeSet(joined, chunks[i], at);
    at += TypedArrayPrototypeGetByteLength(chunks[i]);
  }
  return joined;
}

// What handle.reader() returns: the file from where the handle is, or from a position on, piece by piece.
class FileReader {
  #handle;
  #options;
  #position;
  #chunkBytes;

  constructor(handle, options) {
    const { position, chunkBytes = CHUNK_BYTES, signal } = options;
    this.#handle = handle;
    this.#options = { signal };
    if (position !== undefined) this.#position = toCount(position, 'position', 'reader');
    this.#chunkBytes = toCount(chunkBytes, 'chunkBytes', 'reader');
    if (chunkBytes === 0) throw new RangeError('reader: chunkBytes must not be 0');
  }

  // read(): the next bytes, or null at the end.
  async read() {
    const { signal } = this.#options;
    const chunk = await this.#handle.read(this.#chunkBytes, { position: this.#position, signal });
    if (chunk !== null && this.#position !== undefined) this.#position += TypedArrayPrototypeGetByteLength(chunk);
    return chunk;
  }

  async bytes() {
    const chunks = [];
    let length = 0;
    for (let chunk; (chunk = await this.read()) !== null;) {
      ArrayPrototypePush(chunks, chunk);
      length += TypedArrayPrototypeGetByteLength(chunk);
    }
    return join(chunks, length);
  }

  async text() {
    const bytes = await this.bytes();
    return native.utf8Decode(bytes, 0, TypedArrayPrototypeGetByteLength(bytes), false, false);
  }

  async* [SymbolAsyncIterator]() {
    for (let chunk; (chunk = await this.read()) !== null;) yield chunk;
  }
}

// What handle.writer() returns.
class FileWriter {
  #handle;
  #position;
  #signal;

  constructor(handle, options) {
    this.#handle = handle;
    if (options.position !== undefined) this.#position = toCount(options.position, 'position', 'writer');
    this.#signal = options.signal;
  }

  // write(data): resolves when it is written.
  async write(data) {
    const position = this.#position;
    if (position !== undefined) {
      const bytes = typeof data === 'string' ? native.utf8Encode(data) : data;
      this.#position += toData(bytes, 'write').byteLength;
      return this.#handle.write(bytes, { position, signal: this.#signal });
    }
    return this.#handle.write(data, { signal: this.#signal });
  }

  close() { return this.#handle.close(); }
}

// What each operation of a handle calls, for the error that a closed one gives.
const calls = [];
calls[operations.readNext] = calls[operations.readAt] = 'read';
calls[operations.writeNext] = calls[operations.writeAt] = 'write';
calls[operations.statusOf] = 'statx';
calls[operations.truncate] = 'ftruncate';
calls[operations.sync] = 'fsync';

class FileHandle {
  #id;
  #path;

  constructor(caller, id, path) {
    if (caller !== key) throw new TypeError('Illegal constructor: use DiskFileSystem.open');
    this.#id = id;
    this.#path = path;
    keep(this, id);
  }

  get path() { return this.#path; }
  get closed() { return this.#id === 0; }

  #run(signal, operation, flags, number, data) {
    if (this.#id === 0) {
      const error = new Error(`EBADF: The file is closed, ${calls[operation]} '${this.#path}'`);
      throw ObjectAssign(error, { code: 'EBADF', syscall: calls[operation], path: this.#path });
    }
    return run(signal, operation, this.#id, this.#path, undefined, flags, number, data);
  }

  async read(into = CHUNK_BYTES, options = undefined) {
    const { position, signal } = dictionary(options, 'read: options');
    if (position !== undefined && position !== null) toCount(position, 'position', 'read');
    const bytes = isBuffer(into) ? into : new Uint8Array(toCount(into, 'byteCount', 'read'));
    const operation = position === undefined || position === null ? operations.readNext : operations.readAt;
    const count = await this.#run(signal, operation, 0, position ?? -1, bytes);
    if (bytes === into) return count;
    if (count === 0 && into > 0) return null;
    return count === into ? bytes : TypedArrayPrototypeSubarray(bytes, 0, count);
  }

  async write(data, options = undefined) {
    const { position, signal } = dictionary(options, 'write: options');
    toData(data, 'write');
    if (position === undefined || position === null) return this.#run(signal, operations.writeNext, 0, -1, data);
    return this.#run(signal, operations.writeAt, 0, toCount(position, 'position', 'write'), data);
  }

  reader(options = undefined) { return new FileReader(this, dictionary(options, 'reader: options')); }
  writer(options = undefined) { return new FileWriter(this, dictionary(options, 'writer: options')); }
  async stat() { return new FileStat(await this.#run(undefined, operations.statusOf)); }
  async truncate(size = 0) { await this.#run(undefined, operations.truncate, 0, toCount(size, 'size', 'truncate')); }
  async sync() { await this.#run(undefined, operations.sync, 0); }
  async datasync() { await this.#run(undefined, operations.sync, DATA_ONLY); }

  // close(): after all that was asked for is done. Again is no error.
  async close() {
    const id = this.#id;
    if (id === 0) return;
    this.#id = 0;
    FinalizationRegistryPrototypeUnregister(forgotten, this);
    await run(undefined, operations.close, id, this.#path);
  }

  [Symbol.asyncDispose]() { return this.close(); }
}

// --- the file system -------------------------------------------------------------------------------------------------

class DiskFileSystem {
  #root = 0;
  #path;

  constructor(root = undefined) {
    if (root === undefined) return;
    const path = toPath(root, 'DiskFileSystem');
    this.#root = native.fileRoot(path);
    this.#path = path;
    keep(this, this.#root);
  }

  get root() { return this.#path; }

  // The system's answer. `this` is used afterwards, so that its root isn't closed before.
  async #run(where, signal, operation, path, flags = 0, number = 0, data = undefined, other = undefined) {
    const answer = await run(signal, operation, this.#root, toPath(path, where), other, flags, number, data);
    this.#path;
    return answer;
  }

  async readFile(path, options = undefined) {
    const { signal } = dictionary(options, 'readFile: options');
    return this.#run('readFile', signal, operations.readText, path);
  }

  async readBytes(path, options = undefined) {
    const { signal } = dictionary(options, 'readBytes: options');
    return this.#run('readBytes', signal, operations.readBytes, path);
  }

  async writeFile(path, data, options = undefined) {
    const { atomic = false, sync = false, mode, signal } = dictionary(options, 'writeFile: options');
    const flags = (atomic ? ATOMIC : 0) | (sync ? SYNC : 0);
    await this.#run('writeFile', signal, operations.write, path, flags, toMode(mode, DEFAULT_FILE_MODE, 'writeFile'),
      toData(data, 'writeFile'));
  }

  async appendFile(path, data, options = undefined) {
    const { sync = false, mode, signal } = dictionary(options, 'appendFile: options');
    await this.#run('appendFile', signal, operations.append, path, sync ? SYNC : 0,
      toMode(mode, DEFAULT_FILE_MODE, 'appendFile'), toData(data, 'appendFile'));
  }

  async open(path, how = 'r', options = undefined) {
    const { mode, signal } = dictionary(options, 'open: options');
    const flags = openModes[how];
    if (flags === undefined) {
      throw new TypeError(`open: how must be 'r', 'w', 'a', 'wx' or 'ax', with or without '+', not ${describe(how)}`);
    }
    const [id] = await this.#run('open', signal, operations.open, path, flags, toMode(mode, DEFAULT_FILE_MODE, 'open'));
    return new FileHandle(key, id, toPath(path, 'open'));
  }

  async stat(path) { return new FileStat(await this.#run('stat', undefined, operations.status, path)); }
  async lstat(path) { return new FileStat(await this.#run('lstat', undefined, operations.status, path, NO_FOLLOW)); }

  async exists(path) {
    try {
      await this.#run('exists', undefined, operations.status, path);
      return true;
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    }
  }

  async mkdir(path, options = undefined) {
    const { recursive = false, mode } = dictionary(options, 'mkdir: options');
    await this.#run('mkdir', undefined, operations.makeDirectory, path, recursive ? RECURSIVE : 0,
      toMode(mode, DEFAULT_DIRECTORY_MODE, 'mkdir'));
  }

  async rmdir(path, options = undefined) {
    const { recursive = false, signal } = dictionary(options, 'rmdir: options');
    await this.#run('rmdir', signal, operations.removeDirectory, path, recursive ? RECURSIVE : 0);
  }

  async unlink(path) { await this.#run('unlink', undefined, operations.remove, path); }

  async rename(from, to) {
    await this.#run('rename', undefined, operations.rename, from, 0, 0, undefined, toPath(to, 'rename'));
  }

  async copy(from, to, options = undefined) {
    const { exclusive = false, signal } = dictionary(options, 'copy: options');
    await this.#run('copy', signal, operations.copy, from, exclusive ? EXCLUSIVE : 0, 0, undefined, toPath(to, 'copy'));
  }

  async symlink(target, path) {
    await this.#run('symlink', undefined, operations.makeLink, target, 0, 0, undefined, toPath(path, 'symlink'));
  }

  async readlink(path) { return this.#run('readlink', undefined, operations.readLink, path); }

  async chmod(path, mode) {
    if (mode === undefined) throw new TypeError('chmod: mode is missing');
    await this.#run('chmod', undefined, operations.setMode, path, 0, toMode(mode, 0, 'chmod'));
  }

  async utimes(path, accessed, modified) {
    const times = new Float64Array(2);
    times[0] = toSeconds(accessed);
    times[1] = toSeconds(modified);
    await this.#run('utimes', undefined, operations.setTimes, path, 0, 0, times);
  }

  async mkdtemp(prefix) { return this.#run('mkdtemp', undefined, operations.makeTemporary, prefix); }

  // dir(path): the entries of a directory, as they are read.
  async* dir(path = '.') {
    const [id] = await this.#run('dir', undefined, operations.openDirectory, path);
    const handle = new FileHandle(key, id, path);
    try {
      for (let names; (names = await run(undefined, operations.readDirectory, id, path)).length > 0;) {
        for (let i = 0; i < names.length; i += 2) yield new DirectoryEntry(names[i + 1], kindOfEntry(names[i]));
      }
    } finally {
      await handle.close();
    }
  }

  glob(pattern, options = undefined) {
    if (typeof pattern !== 'string') throw new TypeError(`glob: pattern must be a string, not ${describe(pattern)}`);
    const { cwd = '', dot = false, signal } = dictionary(options, 'glob: options');
    return internal.globFiles(this.#lent(), pattern, { cwd: toText(cwd, 'glob: cwd'), dot: !!dot, signal });
  }

  watch(path = '.', options = undefined) {
    const { recursive = false, signal } = dictionary(options, 'watch: options');
    return new internal.FileWatcher(native, this.#lent(), toText(path, 'watch'), !!recursive, signal);
  }

  // What file_glob.js and file_watch.js need. It holds this file system, whose root so stays open.
  #lent() {
    return {
      root: this.#root,
      run,
      keep,
      drop: (holder) => { FinalizationRegistryPrototypeUnregister(forgotten, holder); },
      list: (path, signal) => this.#list(path, signal),
      typeOf: (path, follows, signal) => this.#typeOf(path, follows, signal),
    };
  }

  // All entries of a directory: [type, name, ...]
  async #list(path, signal) {
    const [id] = await this.#run('dir', signal, operations.openDirectory, path);
    const all = [];
    try {
      for (let some; (some = await run(signal, operations.readDirectory, id, path)).length > 0;) {
        for (let i = 0; i < some.length; i++) ArrayPrototypePush(all, some[i]);
      }
    } finally {
      await run(undefined, operations.close, id, path);
    }
    return all;
  }

  // As #list has it; undefined: there is nothing of that name.
  async #typeOf(path, follows, signal) {
    try {
      const fields = await this.#run('glob', signal, operations.status, path, follows ? 0 : NO_FOLLOW);
      return (fields[MODE_FIELD] & TYPE_MASK) >> 12;
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ENAMETOOLONG') return undefined;
      if (follows && (error.code === 'ELOOP' || error.code === 'EACCES')) return undefined; // a link to nowhere
      throw error;
    }
  }
}

// toText(path, where): where names are put together, bytes won't do.
function toText(path, where) {
  const text = toPath(path, where);
  if (typeof text === 'string') return text;
  throw new TypeError(`${where}: the path must be a string or a file: URL here`);
}

// toSeconds(time): of a Date, or of seconds since 1970.
function toSeconds(time) {
  const seconds = typeof time === 'number' ? time : time instanceof Date ? time.getTime() / 1000 : NaN;
  if (seconds - seconds === 0) return seconds;
  throw new TypeError(`utimes: a time must be a Date or seconds since 1970, not ${describe(time)}`);
}

const exported = { __proto__: null, DirectoryEntry, DiskFileSystem, FileHandle, FileStat };
internal.DirectoryEntry = DirectoryEntry;
internal.FileStat = FileStat;
internal.fileModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
