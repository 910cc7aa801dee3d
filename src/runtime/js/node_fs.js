// node:fs: the part of it that tools which read files use, most of it while JavaScript waits (native.fileDoNow); the
// callback and promise forms answer as they do, later. fino:file is the better way to do the same.
'use strict';

const {
  ArrayPrototypePush, ErrorCaptureStackTrace, ObjectKeys, PromiseReject, PromiseResolve, ReflectApply,
  StringPrototypeEndsWith, StringPrototypeSplit, TypeError, Uint8Array,
} = internal.primordials;
const { Buffer, describe, DirectoryEntry, FileStat, joinPath } = internal;
const { fileOperations: operations } = native;

const RECURSIVE = 2;
const EXCLUSIVE = 4;
const NO_FOLLOW = 8;
const LINKS_MAX = 40;

function toPath(path) {
  if (typeof path === 'string' || path instanceof Uint8Array) return path;
  if (path instanceof internal.URL) return internal.fromFileUrl(path);
  const error = new TypeError(`The "path" argument must be of type string, Buffer or URL. Received ${describe(path)}`);
  error.code = 'ERR_INVALID_ARG_TYPE';
  throw error;
}

function now(where, operation, handle, path, other, flags, number, data) {
  try {
    return native.fileDoNow(operation, undefined, handle, path, other, flags, number, data);
  } catch (error) {
    ErrorCaptureStackTrace(error, where);
    throw error;
  }
}

const isMissing = (error) => error.code === 'ENOENT' || error.code === 'ENOTDIR';
const encodingIn = (options) => (typeof options === 'string' ? options : options?.encoding ?? undefined);

function readFileSync(path, options = undefined) {
  const bytes = now(readFileSync, operations.readBytes, undefined, toPath(path));
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const encoding = encodingIn(options);
  return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
}

function writeFileSync(path, data, options = undefined) {
  const encoding = encodingIn(options);
  const bytes = typeof data === 'string' && encoding !== undefined ? Buffer.from(data, encoding) : data;
  now(writeFileSync, operations.write, undefined, toPath(path), undefined, 0, options?.mode ?? 0o666, bytes);
}

function appendFileSync(path, data) {
  now(appendFileSync, operations.append, undefined, toPath(path), undefined, 0, 0o666, data);
}

function status(where, path, flags, options) {
  try {
    return new FileStat(now(where, operations.status, undefined, toPath(path), undefined, flags));
  } catch (error) {
    if (options?.throwIfNoEntry === false && isMissing(error)) return undefined;
    throw error;
  }
}

function statSync(path, options = undefined) { return status(statSync, path, 0, options); }
function lstatSync(path, options = undefined) { return status(lstatSync, path, NO_FOLLOW, options); }
function accessSync(path) { status(accessSync, path, 0); }

function existsSync(path) {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

function readdirSync(path, options = undefined) {
  const text = toPath(path);
  const [id] = now(readdirSync, operations.openDirectory, undefined, text);
  const entries = [];
  try {
    for (let some; (some = now(readdirSync, operations.readDirectory, id, text)).length > 0;) {
      for (let i = 0; i < some.length; i += 2) ArrayPrototypePush(entries, [some[i + 1], some[i]]);
    }
  } finally {
    now(readdirSync, operations.close, id);
  }
  entries.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return entries.map(([name, type]) => (options?.withFileTypes ? entryOf(name, type, text) : name));
}

const kinds = { __proto__: null, 1: 'fifo', 2: 'character', 4: 'directory', 6: 'block', 8: 'file', 10: 'symlink', 12: 'socket' };

function entryOf(name, type, directory) {
  const entry = new DirectoryEntry(name, kinds[type] ?? lstatSync(joinPath(directory, name)).kind);
  entry.path = entry.parentPath = directory;
  return entry;
}

function readlinkSync(path) { return now(readlinkSync, operations.readLink, undefined, toPath(path)); }

// realpathSync(path): each name of it looked at, links followed.
function realpathSync(path) {
  const text = `${toPath(path)}`;
  let waiting = StringPrototypeSplit(internal.pathModule.resolve(text), '/').reverse();
  let real = '/';
  for (let links = 0; waiting.length > 0;) {
    const name = waiting.pop();
    if (name === '' || name === '.') continue;
    const next = joinPath(real, name);
    if (name === '..' || !lstatSync(next).isSymbolicLink()) {
      real = next;
      continue;
    }
    if (++links > LINKS_MAX) throw internal.errorWithCode(`ELOOP: too many links: ${text}`, 'ELOOP');
    const target = readlinkSync(next);
    if (target[0] === '/') real = '/';
    waiting = waiting.concat(StringPrototypeSplit(target, '/').reverse());
  }
  return real;
}
realpathSync.native = realpathSync;

function mkdirSync(path, options = undefined) {
  const mode = typeof options === 'number' ? options : options?.mode ?? 0o777;
  now(mkdirSync, operations.makeDirectory, undefined, toPath(path), undefined, options?.recursive ? RECURSIVE : 0, mode);
}

function unlinkSync(path) { now(unlinkSync, operations.remove, undefined, toPath(path)); }
function rmdirSync(path) { now(rmdirSync, operations.removeDirectory, undefined, toPath(path), undefined, 0); }
function renameSync(from, to) { now(renameSync, operations.rename, undefined, toPath(from), toPath(to)); }
function mkdtempSync(prefix) { return now(mkdtempSync, operations.makeTemporary, undefined, toPath(prefix)); }
function copyFileSync(from, to, mode = 0) {
  now(copyFileSync, operations.copy, undefined, toPath(from), toPath(to), mode & 1 ? EXCLUSIVE : 0);
}

const sync = {
  accessSync, appendFileSync, copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync,
  readlinkSync, realpathSync, renameSync, rmdirSync, statSync, unlinkSync, writeFileSync,
};
const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1 };

// The other forms, of each that is here.
const promises = { constants };
const callbacks = {};
const names = ObjectKeys(sync);
for (let i = 0; i < names.length; i++) {
  if (!StringPrototypeEndsWith(names[i], 'Sync') || names[i] === 'existsSync') continue;
  const call = sync[names[i]];
  const name = names[i].slice(0, -4);
  promises[name] = (...args) => {
    try {
      return PromiseResolve(ReflectApply(call, undefined, args));
    } catch (error) {
      return PromiseReject(error);
    }
  };
  callbacks[name] = (...args) => {
    const done = args.pop();
    internal.needFunction(done, `fs.${name}: callback`);
    promises[name](...args).then((value) => { internal.setImmediate(done, null, value); },
      (error) => { internal.setImmediate(done, error); });
  };
}
callbacks.realpath.native = callbacks.realpath;

internal.nodeFsPromisesModule = internal.nodeModule(promises);
internal.nodeFsModule = internal.nodeModule({ ...sync, ...callbacks, constants, promises });
