// A client that sends its requests and then ends its side of the connection, as `nc -N` does, gets all its answers. They were
// lost when the end came with the request: the connection was closed with them in a buffer.
import { serveHttp } from 'fino:net/http/server';
import { connect } from 'fino:net/tcp';
import { deepEqual, equal } from './assert.mjs';
import { latin1, statuses } from './http_raw.mjs';

const large = 'x'.repeat(20e6);
const routes = {
  '/': () => new Response('at once'),
  '/later': async (request) => { await request.text(); return new Response('later'); },
  '/slow': async () => { await new Promise((resolve) => { setTimeout(resolve, 20); }); return new Response('slow'); },
  '/large': () => new Response(large),
  '/stream': () => new Response(['a', large, 'b']),
};
const server = serveHttp({}, (request) => routes[new URL(request.url).pathname](request));

async function answersTo(text) {
  const connection = await connect({ port: server.port });
  const sent = [connection.write(latin1(text)), connection.end()]; // both before the server is awake
  const chunks = [];
  let nbytes = 0;
  for await (const bytes of connection) {
    chunks.push(new TextDecoder('latin1').decode(bytes));
    nbytes += bytes.length;
  }
  await Promise.all(sent);
  connection.close();
  return [statuses(chunks.join('')), nbytes];
}

const get = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const cut = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc';
for (let i = 0; i < 10; i++) {
  for (const path of ['/', '/later', '/slow']) {
    deepEqual((await answersTo(get(path)))[0], [200]);
    deepEqual((await answersTo(get(path) + get(path) + get('/')))[0], [200, 200, 200]);
    deepEqual((await answersTo(get(path) + 'GET / HT'))[0], [200]); // of the second there is no answer to expect
  }
}
deepEqual((await answersTo(get('/') + cut))[0], [200, 200]); // the handler does not ask for the body
deepEqual((await answersTo(get('/') + cut.replace('/', '/later')))[0], [200]);
for (const path of ['/large', '/stream']) {
  for (const more of ['', 'Connection: close\r\n']) {
    const [codes, nbytes] = await answersTo(get(path, more));
    deepEqual(codes, [200]);
    equal(nbytes > large.length, true, `${path}: ${nbytes}`);
  }
}
await server.close();
