// FIFOs: whoever waits for the other side holds up nobody else, sees all that comes, and can give up.
import { equal, rejects } from './assert.mjs';
import { DiskFileSystem } from 'fino:file';
import { args } from 'fino:process';

const fs = new DiskFileSystem(args[0]);
// More readers than threads run at once; each waits for a writer that comes last.
const names = Array.from({ length: 12 }, (_, i) => `fifo${i}`);
const read = names.map((name) => fs.readFile(name));
await new Promise((resolve) => setTimeout(resolve, 50));
await fs.writeFile('plain', 'meanwhile');
equal(await fs.readFile('plain'), 'meanwhile');
for (const name of names) await fs.writeFile(name, `through ${name} ${'x'.repeat(100000)}`);
const texts = await Promise.all(read);
for (let i = 0; i < names.length; i++) equal(texts[i], `through ${names[i]} ${'x'.repeat(100000)}`);

// Writers that wait for a reader.
const written = names.map((name) => fs.writeFile(name, 'late'));
await new Promise((resolve) => setTimeout(resolve, 50));
for (const name of names) equal(await fs.readFile(name), 'late');
await Promise.all(written);

// Nobody comes.
for (const start of [(signal) => fs.readFile('fifo0', { signal }), (signal) => fs.writeFile('fifo1', 'x', { signal })]) {
  const controller = new AbortController();
  const waiting = start(controller.signal);
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await rejects(waiting, /enough/);
}
const handle = await fs.open('fifo2', 'r');
const controller = new AbortController();
const waiting = handle.read(10, { signal: controller.signal });
const queued = handle.read(10, { signal: controller.signal });
setTimeout(() => controller.abort(new Error('enough')), 20);
await rejects(waiting, /enough/);
await rejects(queued, /enough/);
await handle.close();
console.log('done');
