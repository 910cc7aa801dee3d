// Every operation that the system refuses says so in one shape: code, errno, syscall, path as it was given, dest where there
// are two; and a message that has all of it.
import { DiskFileSystem } from 'fino:file';
import { deepEqual, equal, ok, rejects, throws } from './assert.mjs';

const fs = new DiskFileSystem();
const work = await fs.mkdtemp('/tmp/fino-test-errors-');
const none = `${work}/none/x`, file = `${work}/file`, dir = `${work}/dir`;
await fs.writeFile(file, 'x');
await fs.mkdir(`${dir}/sub`, { recursive: true });

const numbers = { EACCES: 13, EBADF: 9, EEXIST: 17, EINVAL: 22, EISDIR: 21, ENOENT: 2, ENOTDIR: 20, ENOTEMPTY: 39 };
function check(error, code, syscall, path, dest) {
  deepEqual([error.name, error.code, error.errno, error.syscall, error.path, error.dest], ['Error', code, numbers[code], syscall, path, dest], error.message);
  const paths = dest === undefined ? `'${path}'` : `'${path}' -> '${dest}'`;
  ok(error.message.startsWith(`${code}: `) && error.message.endsWith(`, ${syscall} ${paths}`), error.message);
}

const refused = [
  ['readFile', [none], 'ENOENT', 'open'], ['readBytes', [none], 'ENOENT', 'open'], ['readFile', [dir], 'EISDIR', 'read'],
  ['writeFile', [none, 'x'], 'ENOENT', 'open'], ['writeFile', [none, 'x', { atomic: true }], 'ENOENT', 'open'], ['writeFile', [dir, 'x'], 'EISDIR', 'open'],
  ['appendFile', [none, 'x'], 'ENOENT', 'open'], ['open', [none], 'ENOENT', 'open'], ['open', [file, 'wx'], 'EEXIST', 'open'],
  ['open', [`${file}/x`], 'ENOTDIR', 'open'], ['stat', [none], 'ENOENT', 'stat'], ['lstat', [none], 'ENOENT', 'lstat'],
  ['mkdir', [file], 'EEXIST', 'mkdir'], ['rmdir', [none], 'ENOENT', 'rmdir'], ['rmdir', [dir], 'ENOTEMPTY', 'rmdir'],
  ['unlink', [none], 'ENOENT', 'unlink'], ['unlink', [dir], 'EISDIR', 'unlink'], ['readlink', [none], 'ENOENT', 'readlink'],
  ['readlink', [file], 'EINVAL', 'readlink'], ['chmod', [none, 0o600], 'ENOENT', 'chmod'], ['utimes', [none, 1, 1], 'ENOENT', 'utimes'],
  ['mkdtemp', [`${none}-`], 'ENOENT', 'mkdtemp'],
];
for (const [name, args, code, syscall] of refused) check(await rejects(fs[name](...args)), code, syscall, args[0]);
check(await rejects(fs.rename(none, file)), 'ENOENT', 'rename', none, file);
check(await rejects(fs.rename(file, none)), 'ENOENT', 'rename', file, none);
check(await rejects(fs.symlink('to', none)), 'ENOENT', 'symlink', 'to', none);
check(await rejects(fs.copy(none, file)), 'ENOENT', 'open', none, file);
check(await rejects(fs.dir(none).next()), 'ENOENT', 'opendir', none);
check(await rejects(fs.watch(none).ready), 'ENOENT', 'inotify_add_watch', none);
check(throws(() => new DiskFileSystem(none)), 'ENOENT', 'open', none);

const inside = new DiskFileSystem(work);
check(await rejects(inside.readFile('../x')), 'EACCES', 'open', '../x');

const handle = await fs.open(file);
check(await rejects(handle.write('x')), 'EBADF', 'write', file);
check(await rejects(handle.truncate()), 'EINVAL', 'ftruncate', file);
await handle.close();
const calls = { read: 'read', write: 'write', stat: 'statx', truncate: 'ftruncate', sync: 'fsync', datasync: 'fsync' };
for (const name of Object.keys(calls)) {
  const error = await rejects(handle[name](...(name === 'write' ? ['x'] : [])));
  deepEqual([error.code, error.syscall, error.path], ['EBADF', calls[name], file]);
}
equal(await fs.exists(none), false);
await fs.rmdir(work, { recursive: true });
