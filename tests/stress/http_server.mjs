// The server of stress_http.sh: each answer says, in its field x-seen, what request it is to. Ends when its input does.
import { serveHttp } from 'fino:net/http/server';
import { stdin } from 'fino:process';


async function answer(request) {
  const { method, url } = request;
  const fields = [...request.headers].sort();
  const bytes = await request.bytes();
  const seen = JSON.stringify([method, url, fields, Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')]);
  return new Response(null, { headers: { 'x-seen': btoa(Array.from(new TextEncoder().encode(seen), (byte) => String.fromCharCode(byte)).join('')) } });
}

const server = serveHttp({ headersTimeoutMs: 700, idleTimeoutMs: 700, bodyLimitBytes: 1e6 }, answer);
console.log(server.port);
for await (const chunk of stdin) void chunk;
await server.close({ force: true });
