// `using` and `await using` end servers, connections and files with their block; serve asks `accept` about each connection.
import { DiskFileSystem, type FileHandle } from 'fino:file';
import http, { serve, serveHttp, type HttpServer } from 'fino:net/http/server';
import { connect, listen, type TcpServer } from 'fino:net/tcp';
import { deepEqual, equal, rejects, throws } from './assert.mjs';

let ended: HttpServer;
{
  using server = serveHttp(() => new Response('x'));
  equal(await (await fetch(server.url)).text(), 'x');
  ended = server;
}
await ended.closed;
await rejects(() => fetch(ended.url), TypeError);

let isAnswered = false;
let slow: Promise<string>;
{
  await using server = serve({}, async () => {
    await new Promise((resolve) => { setTimeout(resolve, 50); });
    isAnswered = true;
    return new Response('late');
  });
  slow = fetch(server.url).then((response) => response.text());
  await fetch(server.url);
}
equal(isAnswered, true);
equal(await slow, 'late');

let tcp: TcpServer;
{
  using server = listen({}, (connection) => void connection.write('hello').then(() => connection.close()));
  using connection = await connect({ port: server.port });
  equal(new TextDecoder().decode((await connection.read())!), 'hello');
  tcp = server;
}
await rejects(() => connect({ port: tcp.port }), { code: 'ECONNREFUSED' });

const files = new DiskFileSystem();
const directory = await files.mkdtemp('/tmp/fino-test-using-');
let file: FileHandle;
{
  await using handle = await files.open(`${directory}/x`, 'w');
  await handle.write('abc');
  file = handle;
}
equal(file.closed, true);
await files.rmdir(directory, { recursive: true });

// accept: asked once for each connection, with the peer's address, before anything is read.
const peers: string[] = [];
let isOpen = true;
await using server = serve({ accept({ remoteAddress, remotePort }) {
  peers.push(remoteAddress);
  equal(Number.isInteger(remotePort) && remotePort > 0, true);
  return isOpen;
} }, () => new Response('welcome'));
for (let i = 0; i < 2; i++) equal(await (await fetch(server.url)).text(), 'welcome');
deepEqual(peers, ['127.0.0.1']);
isOpen = false;
using refused = await connect({ port: server.port });
equal(await refused.read().catch(() => null), null);
deepEqual(peers, ['127.0.0.1', '127.0.0.1']);

// It may close the server.
const closing: HttpServer = serve({ accept() { void closing.close(); return true; } }, () => new Response('last'));
using first = await connect({ port: closing.port });
await first.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n').catch(() => {});
await closing.closed;

equal(http.serve, serveHttp);
throws(() => serve({ accept: 5 as never }, () => new Response()), TypeError);
