// Requests that two servers could understand differently are refused: the right status, a closed connection, and nothing
// that follows is taken for a request. Each is sent whole and byte by byte.
import { serveHttp } from 'fino:net/http/server';
import { deepEqual, equal, ok } from './assert.mjs';
import { exchange, latin1, statuses } from './http_raw.mjs';

const seen = [];
const server = serveHttp({ port: 0, bodyLimitBytes: 1000 }, async (request) => {
  seen.push(new URL(request.url).pathname);
  return new Response(await request.text());
});
const H = 'POST /first HTTP/1.1\r\nHost: a\r\n';
const next = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

// [what, bytes, status, how many requests the handler may see]
const cases = [
  ['both lengths', `${H}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['two lengths', `${H}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde`, 400],
  ['a list of lengths', `${H}Content-Length: 5, 5\r\n\r\nabcde`, 400],
  ['a signed length', `${H}Content-Length: +5\r\n\r\nabcde`, 400],
  ['a length that overflows', `${H}Content-Length: 18446744073709551621\r\n\r\nabcde`, 400],
  ['another coding', `${H}Transfer-Encoding: xchunked\r\n\r\n`, 501],
  ['chunked not last', `${H}Transfer-Encoding: chunked, identity\r\n\r\n`, 501],
  ['chunked twice', `${H}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
  ['chunked in 1.0', `POST /first HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['a vertical tab before chunked', `${H}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`, 400],
  ['a folded line', `${H}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`, 501, 0, 400],
  ['space before a colon', `${H}Content-Length : 5\r\n\r\nabcde`, 400],
  ['a bare LF', `POST /first HTTP/1.1\nHost: a\n\n`, 400],
  ['a bare LF after a field', `${H}X: y\nContent-Length: 5\r\n\r\nabcde`, 400],
  ['a bare CR', `${H}X: y\rContent-Length: 5\r\n\r\nabcde`, 400],
  ['NUL in a value', `${H}X: y\0\r\n\r\n`, 400],
  ['NUL in a name', `${H}X\0: y\r\n\r\n`, 400],
  ['no Host', 'POST /first HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', `${H}Host: b\r\n\r\n`, 400],
  ['a Host with a path', 'POST /first HTTP/1.1\r\nHost: a/b\r\n\r\n', 400],
  ['space in the target', 'POST /first x HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a tab for a space', 'POST\t/first HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['HTTP/0.9', 'GET /first\r\n', 400],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
  ['a chunk size with 0x', `${H}Transfer-Encoding: chunked\r\n\r\n0x5\r\nabcde\r\n0\r\n\r\n`, 400, 1],
  ['a negative chunk size', `${H}Transfer-Encoding: chunked\r\n\r\n-5\r\nabcde\r\n0\r\n\r\n`, 400, 1],
  ['a chunk size that overflows', `${H}Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nabcde\r\n0\r\n\r\n`, 400, 1],
  ['space after a chunk size', `${H}Transfer-Encoding: chunked\r\n\r\n5 \r\nabcde\r\n0\r\n\r\n`, 400, 1],
  ['a chunk longer than its size', `${H}Transfer-Encoding: chunked\r\n\r\n4\r\nabcde\r\n0\r\n\r\n`, 400, 1],
  ['LF in a chunk extension', `${H}Transfer-Encoding: chunked\r\n\r\n5;a\nb\r\nabcde\r\n0\r\n\r\n`, 400, 1],
  ['LF after a chunk', `${H}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\n0\r\n\r\n`, 400, 1],
  ['a bad trailer', `${H}Transfer-Encoding: chunked\r\n\r\n0\r\nX : y\r\n\r\n`, 400, 1],
  ['a body over the limit', `${H}Content-Length: 1001\r\n\r\n${'x'.repeat(1001)}`, 413],
  ['chunks over the limit', `${H}Transfer-Encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`, 413, 1],
  ['too many fields', `${H}${'X: y\r\n'.repeat(101)}\r\n`, 431],
  ['a field too large', `${H}X: ${'y'.repeat(17000)}\r\n\r\n`, 431],
  ['a target too long', `GET /${'y'.repeat(17000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
];

for (const [what, text, status, handled = 0, otherStatus = status] of cases) {
  for (const step of text.length > 300 ? [1e9, 4096] : [1e9, 1]) {
    const bytes = latin1(text + next);
    const pieces = [];
    for (let i = 0; i < bytes.length; i += step) pieces.push(bytes.subarray(i, i + step));
    seen.length = 0;
    const out = await exchange(server.port, ...pieces);
    const got = statuses(out);
    equal(got.length, 1, `${what}: ${out}`);
    ok(got[0] === status || got[0] === otherStatus, `${what}: ${got[0]} instead of ${status}`);
    ok(/\r\nconnection: close\r\n/.test(out), `${what}: ${out}`);
    ok(seen.length <= handled && !seen.includes('/smuggled'), `${what}: the handler saw ${seen}`);
  }
}

// What is not ambiguous goes through: a body is a body, whatever it looks like, and the connection lives on.
seen.length = 0;
const good = `${H}Content-Length: ${next.length}\r\n\r\n${next}` +
  `${H}Transfer-Encoding: chunked\r\n\r\n${next.length.toString(16)};x="y"\r\n${next}\r\n0\r\nX: y\r\n\r\n` +
  'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const out = await exchange(server.port, good);
deepEqual(statuses(out), [200, 200, 200]);
deepEqual(seen, ['/first', '/first', '/last']);
equal(out.split(next).length, 3);
await server.close();
