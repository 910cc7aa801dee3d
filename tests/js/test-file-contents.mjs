// Whole contents: text and bytes, large and small, of files whose size says nothing, appended to and replaced.
import { deepEqual, equal, ok, rejects } from './assert.mjs';
import { DiskFileSystem } from 'fino:file';

const disk = new DiskFileSystem();
const work = await disk.mkdtemp(`${(await import('fino:process')).env.TMPDIR ?? '/tmp'}/fino-test-`);
const fs = new DiskFileSystem(work);
try {
  for (const text of ['', 'a', 'short ASCII', 'x'.repeat(5000), 'ä€😀'.repeat(3000), 'y'.repeat(3 << 20)]) {
    await fs.writeFile('text', text);
    equal(await fs.readFile('text'), text);
    equal((await fs.stat('text')).size, new TextEncoder().encode(text).length);
  }
  for (const count of [0, 1, 65535, 65536, 65537, (1 << 20) - 1, 1 << 20, (5 << 20) + 3]) {
    const bytes = new Uint8Array(count).map((_, i) => i * 7 + (i >> 9));
    await fs.writeFile('bytes', bytes);
    deepEqual((await fs.readBytes('bytes')).length, count);
    const back = await fs.readBytes('bytes');
    ok(back.every((byte, i) => byte === bytes[i]), `${count} bytes`);
  }
  // Malformed text is replaced as TextDecoder does; a byte order mark is left out.
  await fs.writeFile('bad', new Uint8Array([0xEF, 0xBB, 0xBF, 0x61, 0xFF, 0xE2, 0x82, 0x62]));
  equal(await fs.readFile('bad'), 'a\uFFFD\uFFFDb');
  // A view's part; what is changed after the call isn't written.
  const view = new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4);
  const written = fs.writeFile('view', view);
  view.fill(9);
  await written;
  deepEqual([...await fs.readBytes('view')], [2, 3, 4]);
  await fs.appendFile('view', new DataView(new Uint8Array([7, 8]).buffer, 1));
  await fs.appendFile('view', 'é');
  deepEqual([...await fs.readBytes('view')], [2, 3, 4, 8, 0xC3, 0xA9]);

  // Sizes that say nothing.
  ok((await disk.readFile('/proc/self/status')).includes('Name:\tfino'));
  ok((await disk.readBytes('/proc/self/maps')).length > 1000);
  // Sparse, and copied sparsely.
  const handle = await fs.open('sparse', 'w');
  await handle.write('end', { position: 50 << 20 });
  await handle.close();
  const sparse = await fs.stat('sparse');
  equal(sparse.size, (50 << 20) + 3);
  ok(sparse.blocks * 512 < 1 << 20, `${sparse.blocks} blocks`);
  await fs.copy('sparse', 'copied');
  const copied = await fs.stat('copied');
  equal(copied.size, sparse.size);
  ok(copied.blocks * 512 < 1 << 20, `the copy has ${copied.blocks} blocks`);
  equal((await fs.readBytes('copied')).subarray(50 << 20).join(), '101,110,100');

  // Whole or nothing: the old one's mode and the links to it stay; nothing else is left.
  await fs.mkdir('a');
  await fs.writeFile('a/target', 'old');
  await fs.chmod('a/target', 0o640);
  await fs.symlink('a/target', 'link');
  await fs.writeFile('link', 'new', { atomic: true });
  equal(await fs.readFile('a/target'), 'new');
  equal((await fs.stat('a/target')).mode & 0o777, 0o640);
  ok((await fs.lstat('link')).isSymbolicLink());
  await fs.writeFile('a/fresh', 'f', { atomic: true, mode: 0o600 });
  equal((await fs.stat('a/fresh')).mode & 0o777, 0o600);
  const names = [];
  for await (const { name } of fs.dir('a')) names.push(name);
  deepEqual(names.sort(), ['fresh', 'target']);
  await rejects(fs.writeFile('a', 'x', { atomic: true }), { code: 'EISDIR', path: 'a' });
  await rejects(fs.writeFile('gone/x', 'x', { atomic: true }), { code: 'ENOENT', path: 'gone/x' });

  // A copy onto itself would be empty.
  await rejects(fs.copy('a/target', 'link'), { code: 'EINVAL' });
  equal(await fs.readFile('a/target'), 'new');
  await rejects(fs.copy('a/target', 'view', { exclusive: true }), { code: 'EEXIST', path: 'view' });
  await rejects(fs.copy('a', 'b'), { code: 'EISDIR' });
  await fs.copy('a/target', 'b');
  equal(await fs.readFile('b'), 'new');

  // A full disk, and a file that can't be read.
  await rejects(disk.writeFile('/dev/full', 'x'), { code: 'ENOSPC', syscall: 'write', path: '/dev/full' });
  await rejects(fs.readBytes('a'), { code: 'EISDIR', syscall: 'read' });
  for (const data of [undefined, null, 5, {}]) await rejects(fs.writeFile('x', data), TypeError);
} finally {
  await disk.rmdir(work, { recursive: true });
}
equal(await disk.exists(work), false);
