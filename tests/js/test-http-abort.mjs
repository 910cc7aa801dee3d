// A client that goes away: its request's signal aborts, a body being read or written ends, and the server goes on.
import { serveHttp } from 'fino:net/http/server';
import { connect } from 'fino:net/tcp';
import { equal, ok } from './assert.mjs';

let notice;
const noticed = () => new Promise((resolve) => { notice = resolve; });
const server = serveHttp({ port: 0 }, async (request) => {
  switch (new URL(request.url).pathname) {
    case '/read':
      await request.text().catch((error) => notice(error.name));
      return new Response('never seen');
    case '/write':
      return new Response((async function* () {
        try {
          for (;;) yield new Uint8Array(1 << 20);
        } finally {
          notice('returned');
        }
      })());
    case '/pull':
      return new Response(new ReadableStream({
        pull(controller) { controller.enqueue(new Uint8Array(1 << 20)); },
        cancel() { notice('cancelled'); },
      }));
    case '/signal':
      request.signal.addEventListener('abort', () => notice(request.signal.reason.name));
      return new Response((async function* () {
        for (;;) {
          yield 'x';
          await new Promise((resolve) => { setTimeout(resolve, 2); });
        }
      })());
    default: return new Response('well');
  }
});
async function leave(path, body = '') {
  const result = noticed();
  const connection = await connect({ port: server.port });
  await connection.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n${body}`);
  if (path !== '/read') await connection.read();
  connection.close();
  return result;
}
equal(await leave('/read', 'abc'), 'AbortError');
equal(await leave('/write', '0123456789'), 'returned');
equal(await leave('/pull', '0123456789'), 'cancelled');
equal(await leave('/signal', '0123456789'), 'AbortError');
equal(await (await fetch(server.url)).text(), 'well');

// A close waits for what is under way, refuses what is new, and can be forced.
let release;
const waiting = serveHttp({ port: 0 }, () => new Promise((resolve) => { release = () => resolve(new Response('done')); }));
const slow = fetch(waiting.url);
const idle = await connect({ port: waiting.port });
while (!release) await new Promise((resolve) => { setTimeout(resolve, 1); });
let isClosed = false;
const closing = waiting.close().then(() => { isClosed = true; });
equal(await idle.read(), null); // waited for nothing, and is told
idle.close();
ok(!isClosed);
await connect({ port: waiting.port }).then(() => { throw new Error('still listening'); }, () => {});
release();
equal(await (await slow).text(), 'done');
await closing;

const forced = serveHttp({ port: 0 }, () => new Promise(() => {}));
const cut = fetch(forced.url).then(() => 'answered', () => 'cut');
await new Promise((resolve) => { setTimeout(resolve, 50); });
await forced.close({ force: true });
equal(await cut, 'cut');
await server.close();
