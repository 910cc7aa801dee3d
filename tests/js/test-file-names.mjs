// Names: looking, making, removing, renaming, linking, listing; names that are no UTF-8; what errors say.
import { deepEqual, equal, ok, rejects, throws } from './assert.mjs';
import { DiskFileSystem } from 'fino:file';
import { toFileUrl } from 'fino:file/path';

const disk = new DiskFileSystem();
const work = await disk.mkdtemp('/tmp/fino-test-');
const list = async (fs, path) => {
  const entries = [];
  for await (const entry of fs.dir(path)) entries.push(`${entry.kind} ${entry.name}`);
  return entries.sort();
};
try {
  equal((await disk.stat(work)).mode & 0o7777, 0o700);
  for (const fs of [new DiskFileSystem(work), null]) { // beneath a root, and without one
    const at = (name) => (fs === null ? `${work}/free/${name}` : name);
    const some = fs ?? disk;
    await some.mkdir(at(fs === null ? '' : 'rooted'));
    await some.mkdir(at('x/y/z'), { recursive: true });
    await some.mkdir(at('x/y/z/'), { recursive: true });
    await rejects(some.mkdir(at('x')), { code: 'EEXIST', syscall: 'mkdir', path: at('x') });
    await some.writeFile(at('x/file'), '1');
    await rejects(some.mkdir(at('x/file'), { recursive: true }), { code: 'EEXIST' });
    await rejects(some.mkdir(at('x/file/y'), { recursive: true }), { code: 'ENOTDIR' });
    await some.symlink('file', at('x/link'));
    await some.symlink('nowhere', at('x/dangling'));
    equal(await some.readlink(at('x/link')), 'file');
    deepEqual(await list(some, at('x')), ['directory y', 'file file', 'symlink dangling', 'symlink link']);
    equal((await some.stat(at('x/link'))).kind, 'file');
    equal((await some.lstat(at('x/link'))).kind, 'symlink');
    equal(await some.exists(at('x/dangling')), false);
    equal(await some.exists(at('x/file/deeper')), false);
    equal(await some.exists(at('x/link')), true);
    await some.chmod(at('x/link'), 0o604);
    equal((await some.stat(at('x/file'))).mode & 0o7777, 0o604);
    await some.utimes(at('x/link'), 1000000000.5, new Date(1500000000250));
    const stat = await some.stat(at('x/file'));
    equal(stat.atimeMs, 1000000000500);
    equal(stat.mtime.getTime(), 1500000000250);
    ok(stat.isFile() && !stat.isDirectory());
    await some.rename(at('x/file'), at('x/y/moved'));
    await rejects(some.rename(at('x/file'), at('elsewhere')),
      { code: 'ENOENT', syscall: 'rename', path: at('x/file'), dest: at('elsewhere') });
    await rejects(some.rmdir(at('x')), { code: 'ENOTEMPTY' });
    await rejects(some.unlink(at('x/y')), { code: 'EISDIR' });
    await some.unlink(at('x/dangling'));
    await some.rmdir(at('x'), { recursive: true });
    equal(await some.exists(at('x')), false);
    equal(await list(some, fs === null ? `${work}/free` : '/').then((names) => names.length), fs === null ? 0 : 1);
  }

  // Every name the disk can have is a string, which names the same file again.
  const fs = new DiskFileSystem(work);
  const odd = new Uint8Array([0x61, 0xFF, 0xC3, 0x62, 0xED, 0xA0, 0x80]);
  await fs.writeFile(odd, 'odd');
  await fs.writeFile('ü😀\n', 'even');
  const found = (await list(fs, '/')).filter((entry) => entry.startsWith('file')).map((entry) => entry.slice(5));
  equal(found.length, 2);
  deepEqual(await Promise.all(found.map((name) => fs.readFile(name))), ['odd', 'even']);
  equal(found[0], 'a\uDCFF\uDCC3b\uDCED\uDCA0\uDC80');
  await rejects(fs.readFile('\uD800'), TypeError);
  await rejects(fs.readFile('a\0b'), TypeError);
  await rejects(fs.readFile(5), TypeError);
  await rejects(fs.readFile(''), { code: 'ENOENT' });
  await rejects(fs.readFile('n'.repeat(256)), { code: 'ENAMETOOLONG' });
  equal(await disk.readFile(toFileUrl(`${work}/ü😀\n`)), 'even');
  const error = await rejects(disk.readFile(`${work}/none`), { code: 'ENOENT', syscall: 'open', errno: 2 });
  equal(error.message, `ENOENT: No such file or directory, open '${work}/none'`);
  ok(error.stack.includes('test-file-names.mjs'), error.stack);
  throws(() => new DiskFileSystem(`${work}/none`), { code: 'ENOENT' });
  throws(() => new DiskFileSystem(`${work}/ü😀\n`), { code: 'ENOTDIR' });

  // Many entries come in several pieces.
  await fs.mkdir('many');
  await Promise.all(Array.from({ length: 3000 }, (_, i) => fs.writeFile(`many/entry-with-a-long-name-${i}`, '')));
  equal((await list(fs, 'many')).length, 3000);
  for await (const entry of fs.dir('many')) { ok(entry.isFile()); break; }
} finally {
  await disk.rmdir(work, { recursive: true });
}
