#!/usr/bin/env bash
# serveHttp with a client that is not ours, Node's: bodies of every kind both ways, HEAD, 100, errors, pipelining, and a
# close that lets what has begun finish.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

cat >server.mjs <<'JS'
import { serveHttp } from 'fino:net/http/server';
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
async function* lines(count) { for (let i = 0; i < count; i++) { await sleep(1); yield `line ${i}\n`; } }
const routes = {
  '/': () => new Response('Hello'),
  '/latin': () => new Response('h\u00e9 \u{1f600}'),
  '/empty': () => new Response(null, { status: 204 }),
  '/json': (req) => Response.json({ method: req.method, url: req.url, agent: req.headers.get('x-agent') }),
  '/bytes': () => new Response(new Uint8Array([0, 1, 254, 255]), { headers: { 'content-type': 'a/b' } }),
  '/text': async (req) => new Response(await req.text(), { status: 201, statusText: 'Made', headers: [['x-a', '1'], ['x-a', '2']] }),
  '/sum': async (req) => { let n = 0; for await (const chunk of req.body) n += chunk.length; return new Response(`${n}`); },
  '/echo': (req) => new Response(req.body),
  '/lines': () => new Response(lines(5)),
  '/sized': () => new Response(lines(2), { headers: { 'content-length': '14' } }),
  '/stream': () => new Response(new ReadableStream({ start(c) { c.enqueue('a'); c.enqueue('b'); c.close(); } })),
  '/throw': () => { throw new Error('thrown on purpose'); },
  '/reject': async () => { throw new Error('rejected on purpose'); },
  '/wrong': () => 'a string',
  '/ignore': () => new Response('ignored'),
  '/slow': async () => { await sleep(200); return new Response('slow'); },
  '/stop': () => { server.close().then(() => console.log('closed')); return new Response('bye'); },
};
const server = serveHttp({ port: 0 }, (req) => {
  const route = routes[new URL(req.url).pathname];
  return route ? route(req) : new Response('nothing there', { status: 404 });
});
console.log(server.port);
JS
cat >client.mjs <<'JS'
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let socket;
function call(path, { body, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path, agent, ...options }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, reason: response.statusMessage,
        headers: response.headers, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    request.on('socket', (used) => { if (agent.maxSockets === 1) { socket ??= used; assert.equal(used, socket, `${path}: another connection`); } });
    request.on('error', reject);
    if (options.headers?.expect) request.on('continue', () => request.end(body)).flushHeaders();
    else if (Array.isArray(body)) { for (const piece of body) request.write(piece); request.end(); } else request.end(body);
  });
}
let r = await call('/');
assert.equal(`${r.status} ${r.reason} ${r.body}`, '200 OK Hello');
assert.equal(r.headers['content-type'], 'text/plain;charset=UTF-8');
assert(Math.abs(new Date(r.headers.date) - Date.now()) < 10e3);
r = await call('/', { method: 'HEAD' });
assert.equal(`${r.status} ${r.headers['content-length']} ${r.body}`, '200 5 ');
r = await call('/lines', { method: 'HEAD' });
assert.equal(`${r.status} ${r.body}`, '200 ');
assert.equal(`${(await call('/latin')).body}`, 'h\u00e9 \u{1f600}');
r = await call('/empty');
assert.equal(r.status, 204);
assert(!('content-length' in r.headers) && !('transfer-encoding' in r.headers));
r = await call('/json?q=%20', { method: 'PATCH', headers: { 'X-Agent': '  me ' } });
assert.deepEqual(JSON.parse(r.body), { method: 'PATCH', url: `http://localhost:${port}/json?q=%20`, agent: 'me' });
r = await call('/bytes');
assert.deepEqual([...r.body, r.headers['content-type']], [0, 1, 254, 255, 'a/b']);
r = await call('/text', { method: 'POST', body: 'gr\u00fc\u00dfe' });
assert.equal(`${r.status} ${r.reason} ${r.headers['x-a']} ${r.body}`, '201 Made 1, 2 gr\u00fc\u00dfe');
assert.equal(`${(await call('/text', { method: 'POST', body: ['a', 'b', 'c'] })).body}`, 'abc');
r = await call('/text', { method: 'POST', body: 'continued', headers: { expect: '100-continue', 'content-length': 9 } });
assert.equal(`${r.body}`, 'continued');
const large = Buffer.alloc(3e6);
for (let i = 0; i < large.length; i++) large[i] = i * 7 % 251;
assert.equal(`${(await call('/sum', { method: 'POST', body: large })).body}`, '3000000');
assert(large.equals((await call('/echo', { method: 'POST', body: large })).body));
assert(large.equals((await call('/echo', { method: 'POST', body: [large.subarray(0, 9), large.subarray(9)] })).body));
r = await call('/lines');
assert.equal(`${r.headers['transfer-encoding']} ${r.body}`, 'chunked line 0\nline 1\nline 2\nline 3\nline 4\n');
r = await call('/sized');
assert.equal(`${r.headers['content-length']} ${r.body}`, '14 line 0\nline 1\n');
assert.equal(`${(await call('/stream')).body}`, 'ab');
for (const path of ['/throw', '/reject', '/wrong']) assert.equal((await call(path)).status, 500, path);
assert.equal(`${(await call('/ignore', { method: 'POST', body: 'x'.repeat(1e5) })).body}`, 'ignored');
assert.equal((await call('/missing')).status, 404);

function raw(text) {
  return new Promise((resolve) => {
    let out = '';
    const connection = net.connect(port, '127.0.0.1', () => connection.write(text));
    connection.setEncoding('latin1').on('data', (data) => { out += data; }).on('close', () => resolve(out));
  });
}
const get = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
let out = await raw(get('/') + get('/slow') + get('/lines') + get('/', 'Connection: close\r\n') + get('/'));
assert.deepEqual(out.match(/Hello|slow|line 4/g), ['Hello', 'slow', 'line 4', 'Hello']);
out = await raw('GET /lines HTTP/1.0\r\n\r\n');
assert(/connection: close/.test(out) && !/chunked/.test(out) && out.endsWith('line 4\n'));
out = await raw('\r\nGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n' + 'GET / HTTP/1.0\r\n\r\n');
assert.deepEqual(out.match(/HTTP\/1.1 200|keep-alive|close/g), ['HTTP/1.1 200', 'keep-alive', 'HTTP/1.1 200', 'close']);

agent.maxSockets = 5;
const slow = call('/slow');
await new Promise((resolve) => { setTimeout(resolve, 50); });
assert.equal(`${(await call('/stop')).body}`, 'bye');
assert.equal(`${(await slow).body}`, 'slow');
await assert.rejects(call('/'));
process.exit(0);
JS

"$fino" run server.mjs >out 2>err &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s out ] && break; sleep 0.1; done
timeout 60 node client.mjs "$(head -n 1 out)" || { cat err >&2; fail "the client is not content"; }
wait "$server" || fail "the server's exit code is $?"
expect_text out closed
expect_text err 'thrown on purpose'
expect_text err 'rejected on purpose'
expect_text err 'must return a Response'
