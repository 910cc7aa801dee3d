// DiskFileSystem.watch: what is told of changes, in order; below new and renamed directories; the ways it ends; what is
// told when too much happened; roots. Nothing here depends on time.
import { deepEqual, equal, ok, rejects, throws } from './assert.mjs';
import { DiskFileSystem } from 'fino:file';

const disk = new DiskFileSystem();
const work = await disk.mkdtemp('/tmp/fino-test-');
const root = new DiskFileSystem(work);
const text = ({ type, path, from }) => `${type} ${from === undefined ? '' : `${from} -> `}${path}`;

// Events up to one that is expected; a directory may tell of changes of its own between.
async function until(watcher, last) {
  const told = [];
  for (;;) {
    const { value, done } = await watcher.next();
    if (done) throw new Error(`it ended before '${last}', after: ${told.join(', ')}`);
    told.push(text(value));
    if (told[told.length - 1] === last) return told;
  }
}

try {
  for (const [fs, at] of [[disk, (name) => `${work}/free${name}`], [root, (name) => `rooted${name}`]]) {
    await fs.mkdir(at('/old/deep'), { recursive: true });

    // One directory.
    const flat = fs.watch(at(''));
    await flat.ready;
    await fs.writeFile(at('/a'), '1');
    await fs.rename(at('/a'), at('/b'));
    await fs.writeFile(at('/old/unseen'), '1');
    await fs.unlink(at('/b'));
    deepEqual(await until(flat, `remove ${at('/b')}`), [`create ${at('/a')}`, `change ${at('/a')}`,
      `rename ${at('/a')} -> ${at('/b')}`, `remove ${at('/b')}`]);
    const pending = flat.next();
    await flat.close();
    deepEqual(await pending, { value: undefined, done: true });
    deepEqual(await flat.next(), { value: undefined, done: true });
    await flat.close();

    // All below.
    const deep = fs.watch(at(''), { recursive: true });
    await deep.ready;
    await fs.writeFile(at('/old/deep/x'), '1');
    await until(deep, `change ${at('/old/deep/x')}`);
    await fs.mkdir(at('/new/er'), { recursive: true });
    await fs.writeFile(at('/new/er/y'), '1');
    await until(deep, `create ${at('/new/er/y')}`); // found or told: the directory was not watched before
    await fs.writeFile(at('/new/er/z'), '1');
    await until(deep, `change ${at('/new/er/z')}`);
    await fs.rename(at('/new'), at('/newer'));
    await until(deep, `rename ${at('/new')} -> ${at('/newer')}`);
    await fs.unlink(at('/newer/er/z'));
    await until(deep, `remove ${at('/newer/er/z')}`);
    await fs.rmdir(at('/newer'), { recursive: true });
    await until(deep, `remove ${at('/newer')}`);

    // Too much: more than the kernel keeps.
    const limit = Number(await disk.readFile('/proc/sys/fs/inotify/max_queued_events'));
    if (limit <= 65536) {
      const handle = await fs.open(at('/old/many'), 'w');
      await until(deep, `create ${at('/old/many')}`);
      for (let i = 0; i <= limit / 2; i++) { // two events that are not the same, so that they aren't merged
        await Promise.all([handle.write('1'), fs.chmod(at('/old/deep'), 0o755)]);
      }
      await until(deep, `overflow ${at('')}`);
      await fs.writeFile(at('/old/deep/after'), '1');
      await until(deep, `create ${at('/old/deep/after')}`);
      await handle.close();
    }
    deepEqual(await deep.return('value'), { value: 'value', done: true });

    // The signal; for await; what is watched goes.
    const controller = new AbortController();
    const aborted = fs.watch(at(''), { signal: controller.signal });
    const last = aborted.next();
    await aborted.ready;
    controller.abort();
    equal((await last).done, true);
    throws(() => fs.watch(at(''), { signal: controller.signal }), { name: 'AbortError' });

    await fs.writeFile(at('/file'), '');
    const told = [];
    const file = fs.watch(at('/file'));
    await file.ready;
    await fs.unlink(at('/file'));
    for await (const event of file) told.push(text(event));
    equal(told[told.length - 1], `remove ${at('/file')}`);

    await rejects(fs.watch(at('/none')).next(), { code: 'ENOENT', syscall: 'inotify_add_watch', path: at('/none') });
    await rejects(fs.watch(at('/none')).ready, { code: 'ENOENT' });
  }

  // Beneath a root neither '..' nor a link lead out.
  await root.symlink('/tmp', 'away');
  for (const path of ['..', 'rooted/../..', 'away']) await rejects(root.watch(path).ready, { code: 'EACCES' }, path);
  const careful = root.watch('.', { recursive: true });
  await careful.ready;
  await disk.writeFile(`${work}.outside`, '');
  await disk.unlink(`${work}.outside`);
  await root.writeFile('inside', '');
  equal((await until(careful, 'create inside')).some((event) => event.includes('outside')), false);
  await careful.close();
  await careful[Symbol.asyncDispose]();

  // What isn't closed keeps nothing alive; what is closed leaves no descriptor behind.
  const count = async () => { let n = 0; for await (const _ of disk.dir('/proc/self/fd')) n++; return n; };
  const before = await count();
  for (let i = 0; i < 20; i++) {
    const watcher = disk.watch(work, { recursive: true });
    if (i % 2) await watcher.ready;
    await watcher.close();
  }
  ok(await count() <= before, 'descriptors');
  throws(() => disk.watch(new Uint8Array(1)), TypeError);
  throws(() => disk.watch(work, { signal: 1 }), TypeError);
  await disk.watch(work).ready;
} finally {
  await disk.rmdir(work, { recursive: true });
}
