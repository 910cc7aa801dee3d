// A program that uses something of every module, for test-types.sh to compile.

import path, { join } from 'fino:file/path';
import file, { DiskFileSystem, type FileHandle, type WatchEvent } from 'fino:file';
import { fetch as get, Headers, Response as Answer } from 'fino:net/http';
import { serve as serveAll, serveHttp, type Handler } from 'fino:net/http/server';
import { connect, listen } from 'fino:net/tcp';
import process, { args, env, on } from 'fino:process';
import profiler, { isProfiling, profile, setLabel, stats, withLabels } from 'fino:profiler';
import { Realm } from 'fino:realm';
import { RealmPool } from 'fino:realm/pool';

const files = new DiskFileSystem('/tmp');

async function copy(from: FileHandle, to: FileHandle): Promise<number> {
  let length = 0;
  const writer = to.writer();
  for await (const chunk of from.reader({ chunkBytes: 4096 })) length += await writer.write(chunk);
  await writer.close();
  return length;
}

async function find(signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for await (const name of files.glob('**/*.{ts,js}', { cwd: 'src', signal })) found.push(join('src', name));
  return found;
}

async function follow(): Promise<WatchEvent | undefined> {
  await using watcher = files.watch('.', { recursive: true });
  for await (const event of watcher) if (event.type !== 'rename' || event.from !== '') return event;
  return undefined;
}

const handle: Handler = async (request) => {
  setLabel('route', request.url);
  const answer = await withLabels({ method: request.method }, () => request.text());
  return new Answer(answer, { headers: new Headers({ 'content-type': 'text/plain' }) });
};

async function serve(): Promise<void> {
  using refusing = serveAll({ accept: ({ remoteAddress }) => remoteAddress !== '', onError: () => new Answer('?') }, handle);
  console.log(refusing.port);
  await using server = serveHttp({ port: 0, bodyLimitBytes: 1e6 }, handle);
  const response = await get(server.url, { method: 'POST', body: 'text' });
  const value: unknown = await response.json();
  console.log(value, response.status, isProfiling());
}

async function sockets(): Promise<void> {
  const server = listen({ port: 0 }, (connection) => void connection.write('hello'));
  const connection = await connect({ port: server.port });
  const bytes: Uint8Array | null = await connection.read();
  console.log(bytes?.length, stats()?.samples);
}

async function realms(): Promise<number> {
  using realm = new Realm({ entry: new URL('./worker.ts', import.meta.url) });
  realm.port.postMessage({ text: 'hello' });
  await using pool = new RealmPool({ entry: 'worker.ts', size: 2 });
  const sum: number = await pool.call(1, 2);
  return sum + await realm.call(3);
}

async function disposals(): Promise<void> {
  using stack = new DisposableStack();
  const length: number = stack.adopt('text', (text) => console.log(text.length)).length;
  await using later: AsyncDisposableStack = new AsyncDisposableStack().move();
  await later.use(later.use(stack.disposed ? null : files.watch('.')))?.close();
  console.log(length);
}

on('SIGTERM', (name, number) => console.log(name, number));
setImmediate((text: string) => console.log(text), path.basename(import.meta.filename));
const pprof: Uint8Array = await profile(async () => { await realms(); }, { interval: '500us' });
console.log(args.length, env.HOME, process.pid, pprof.length, profiler.isProfiling(), new file.DiskFileSystem().root,
  import.meta.resolve('./x.ts'), await find(AbortSignal.timeout(10)), await follow());
await Promise.all([serve(), sockets(), disposals(), copy(await files.open('a'), await files.open('b', 'w'))]);
