// Open files: reading and writing at positions and in turn, streams, order, closing, FIFOs, and giving up.
import { deepEqual, equal, ok, rejects } from './assert.mjs';
import { DiskFileSystem, FileHandle } from 'fino:file';

const disk = new DiskFileSystem();
const work = await disk.mkdtemp('/tmp/fino-test-');
const fs = new DiskFileSystem(work);
try {
  const handle = await fs.open('f', 'w+');
  ok(handle instanceof FileHandle);
  equal(await handle.write('hello'), 5);
  equal(await handle.write(new Uint8Array([33]), { position: 10 }), 1);
  equal((await handle.stat()).size, 11);
  const into = new Uint8Array(4);
  equal(await handle.read(into, { position: 1 }), 4);
  equal(String.fromCharCode(...into), 'ello');
  equal(await handle.read(10, { position: 100 }), null);
  equal(await handle.read(into.subarray(0, 2), { position: 9 }), 2);
  deepEqual([...into], [0, 33, 108, 111]);
  await handle.truncate(3);
  equal(await handle.reader({ position: 0 }).text(), 'hel');
  await handle.sync();
  await handle.datasync();
  // What was asked for before is done before it closes.
  const last = handle.write('last', { position: 0 });
  await Promise.all([handle.close(), handle.close()]);
  equal(await last, 4);
  equal(handle.closed, true);
  await rejects(handle.read(), { code: 'EBADF' });
  equal(await fs.readFile('f'), 'last');

  // Calls in turn keep their order, however many there are at once.
  const appended = await fs.open('ordered', 'ax');
  await rejects(fs.open('ordered', 'wx'), { code: 'EEXIST' });
  const lines = Array.from({ length: 500 }, (_, i) => `${i}\n`);
  await Promise.all(lines.map((line) => appended.write(line)));
  await appended.close();
  equal(await fs.readFile('ordered'), lines.join(''));
  const ordered = await fs.open('ordered');
  const pieces = await Promise.all(Array.from({ length: 10 }, () => ordered.read(7)));
  equal(new TextDecoder().decode(Uint8Array.from(pieces.flatMap((piece) => [...piece]))), lines.join('').slice(0, 70));
  let size = 0;
  for await (const chunk of ordered.reader({ chunkBytes: 100 })) {
    ok(chunk.length <= 100);
    size += chunk.length;
  }
  equal(size, lines.join('').length - 70);
  await rejects(ordered.write('x'), { code: 'EBADF', syscall: 'write' });
  await ordered.close();
  const writer = (await fs.open('written', 'w')).writer();
  await writer.write('one ');
  await writer.write(new Uint8Array([50]));
  await writer.close();
  equal(await fs.readFile('written'), 'one 2');
  await rejects(fs.open('f', 'q'), TypeError);
  await rejects(fs.open('f', 'r', { mode: -1 }), RangeError);

  // Whoever aborts gets the signal's reason; what isn't begun never is.
  await rejects(fs.readFile('f', { signal: AbortSignal.abort(new Error('before')) }), /before/);
  const zero = await disk.open('/dev/zero');
  const controller = new AbortController();
  const endless = disk.readBytes('/dev/zero', { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 30);
  await rejects(endless, /enough/);
  await zero.close();
} finally {
  await disk.rmdir(work, { recursive: true });
}
