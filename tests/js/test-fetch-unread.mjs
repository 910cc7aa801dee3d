// An answer whose body nobody reads does not keep the process alive; one that is waited for does. That this test ends is
// half of it.
import { serveHttp } from 'fino:net/http/server';
import { equal } from './assert.mjs';

const large = 'x'.repeat(3e6);
const server = serveHttp({}, (request) => new Response(request.url.endsWith('/large') ? large : 'small'));
for (const path of ['small', 'large']) equal((await fetch(server.url + path)).status, 200);
equal(await (await fetch(`${server.url}large`)).text(), large);
const held = await fetch(`${server.url}large`);
const reader = held.body.getReader();
equal((await reader.read()).done, false); // begun, and left
await server.close({ force: true });
