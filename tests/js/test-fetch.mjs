// fetch against serveHttp: bodies both ways, headers, redirects, abort, reuse of connections, and what can't be fetched.
import { serveHttp } from 'fino:net/http/server';
import { deepEqual, equal, ok, rejects } from './assert.mjs';

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
async function* pieces() { yield 'a'; await sleep(1); yield new Uint8Array([98]); yield 'c\u00e9'; }

const server = serveHttp({ port: 0 }, async (request) => {
  const url = new URL(request.url);
  switch (url.pathname) {
    case '/echo': {
      const headers = { 'x-method': request.method, 'content-type': request.headers.get('content-type') ?? 'none' };
      return new Response(await request.bytes(), { status: 201, statusText: 'Made so', headers });
    }
    case '/headers': return Response.json([...request.headers]);
    case '/stream': return new Response(pieces());
    case '/moved': return Response.redirect('/echo', Number(url.searchParams.get('status')));
    case '/loop': return Response.redirect('/loop');
    case '/never': await sleep(1e4); return new Response('late');
    case '/half': return new Response((async function* () { yield 'some'; await sleep(1e4); })());
    default: return new Response(null, { status: 404 });
  }
});
const base = server.url;
const at = (path) => new URL(path, base);

let response = await fetch(`${base}echo`, { method: 'POST', body: 'gr\u00fc\u00dfe', headers: { 'X-A': 'b' } });
ok(response instanceof Response);
equal(response.status, 201);
equal(response.statusText, 'Made so');
equal(response.ok, true);
equal(response.redirected, false);
equal(response.url, `${base}echo`);
equal(response.headers.get('X-Method'), 'POST');
equal(response.headers.get('content-type'), 'text/plain;charset=UTF-8');
equal(response.bodyUsed, false);
equal(await response.text(), 'gr\u00fc\u00dfe');
equal(response.bodyUsed, true);
await rejects(response.text(), TypeError);

const bytes = new Uint8Array(1e6).map((_, i) => i * 7);
response = await fetch(at('/echo'), { method: 'PUT', body: bytes });
deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
response = await fetch(at('/echo'), { method: 'POST', body: new URLSearchParams({ a: '1 2' }) });
equal(await response.text(), 'a=1+2');
response = await fetch(at('/echo'), { method: 'POST', body: pieces() });
equal(await response.text(), 'abc\u00e9');
response = await fetch(at('/stream'));
let text = '';
for await (const chunk of response.body) text += new TextDecoder().decode(chunk);
equal(text, 'abc\u00e9');
response = await fetch(at('/echo'), { method: 'HEAD' });
equal(await response.text(), '');
deepEqual(await (await fetch(at('/headers'), { headers: { accept: 'x/y', 'user-agent': 'me' } })).json(),
  [['accept', 'x/y'], ['host', new URL(base).host], ['user-agent', 'me']]);
equal((await fetch(at('/missing'))).status, 404);

// Many at once, and again on the same connections.
for (let round = 0; round < 3; round++) {
  const all = await Promise.all(Array.from({ length: 50 }, (_, i) => fetch(at('/echo'), { method: 'POST', body: `${i}` })));
  deepEqual(await Promise.all(all.map((each) => each.text())), Array.from({ length: 50 }, (_, i) => `${i}`));
}

for (const [status, method] of [[301, 'GET'], [302, 'GET'], [303, 'GET'], [307, 'POST'], [308, 'POST']]) {
  response = await fetch(at(`/moved?status=${status}`), { method: 'POST', body: 'kept' });
  equal(response.headers.get('x-method'), method, `${status}`);
  equal(await response.text(), method === 'GET' ? '' : 'kept');
  equal(response.redirected, true);
  equal(response.url, `${base}echo`);
}
response = await fetch(at('/moved?status=302'), { redirect: 'manual' });
equal(`${response.status} ${response.headers.get('location')}`, '302 /echo');
await rejects(fetch(at('/moved?status=302'), { redirect: 'error' }), TypeError);
await rejects(fetch(at('/loop')), TypeError);
await rejects(fetch(at('/moved?status=307'), { method: 'POST', body: pieces() }), TypeError);

const reasonOf = (promise) => promise.then(() => 'none', (error) => error);
equal((await reasonOf(fetch(at('/never'), { signal: AbortSignal.timeout(20) }))).name, 'TimeoutError');
const controller = new AbortController();
response = await fetch(at('/half'), { signal: controller.signal });
setTimeout(() => controller.abort('enough'), 20);
equal(await reasonOf(response.text()), 'enough');
equal(await reasonOf(fetch(at('/'), { signal: AbortSignal.abort('before') })), 'before');

ok(/TLS/.test((await reasonOf(fetch('https://127.0.0.1/'))).message));
await rejects(fetch('file:///etc/passwd'), TypeError);
await rejects(fetch('nonsense'), TypeError);
await rejects(fetch(base, { body: 'x' }), TypeError);
const refused = await reasonOf(fetch('http://127.0.0.1:1/'));
equal(refused.constructor, TypeError);
equal(refused.cause.code, 'ECONNREFUSED');
await server.close({ force: true });
