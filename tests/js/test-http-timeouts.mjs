// Who sends slowly or nothing is cut off: 408 while a request is incomplete, a plain close between requests; a handler
// may take its time. Nothing here depends on how fast the machine is, only on what comes first.
import { serveHttp } from 'fino:net/http/server';
import { connect } from 'fino:net/tcp';
import { deepEqual, equal, ok } from './assert.mjs';
import { exchange, statuses } from './http_raw.mjs';

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const failures = [];
const server = serveHttp({ port: 0, headersTimeoutMs: 100, idleTimeoutMs: 100 }, async (request) => {
  if (request.url.endsWith('/slow')) await sleep(400);
  try {
    return new Response(await request.text());
  } catch (error) {
    failures.push(error.message);
    throw error;
  }
});
deepEqual(statuses(await exchange(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n')), [408]);
deepEqual(statuses(await exchange(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'G')), [200, 408]);
equal(await exchange(server.port), '');
deepEqual(statuses(await exchange(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')), [200]);
deepEqual(statuses(await exchange(server.port, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')), [200]);
deepEqual(statuses(await exchange(server.port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc')), [408]);
equal(failures.length, 1);
ok(/too long/.test(failures[0]), failures[0]);

// A head that trickles in is not made acceptable by each byte that comes.
const slow = await connect({ port: server.port });
let isOver = false;
(async () => {
  for (const byte of 'GET / HTTP/1.1\r\nHost: abcdefghijklmnopqrstuvwxyz') {
    if (isOver) break;
    await slow.write(byte).catch(() => {});
    await sleep(20);
  }
})();
let text = '';
for await (const bytes of slow) text += new TextDecoder().decode(bytes);
isOver = true;
deepEqual(statuses(text), [408]);
slow.close();
await server.close();

// Bodies that arrive piece by piece may take longer than any single piece does.
const patient = serveHttp({ port: 0, idleTimeoutMs: 2000 }, async (request) => new Response(await request.text()));
const pieces = Array.from({ length: 30 }, (_, i) => `1\r\n${i % 10}\r\n`);
const out = await exchange(patient.port, 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
  ...pieces, '0\r\n\r\n');
ok(out.endsWith('012345678901234567890123456789'), out);
await patient.close();
