// A HTTP server that profiles itself from its first line to GET /stop.
//
//   PORT=3032 build/fino run example_profile.ts
//   autocannon -c 100 -d 10 http://127.0.0.1:3032/
//   curl http://127.0.0.1:3032/stop
//   go tool pprof profile.pb
//
// `build/fino run --profile example_profile.ts` records the same and more: all from the process's start to its end.

import { DiskFileSystem } from 'fino:file';
import { serveHttp } from 'fino:net/http/server';
import { env } from 'fino:process';
import { startProfiling, stopProfiling } from 'fino:profiler';

startProfiling('server');

const files = new DiskFileSystem();
const visits = new Map<string, number>();

function count(path: string): number {
  const visit = (visits.get(path) ?? 0) + 1;
  visits.set(path, visit);
  return visit;
}

async function stop(): Promise<Response> {
  await files.writeFile('profile.pb', stopProfiling('server'));
  void server.close();
  return new Response('profile.pb is written\n');
}

function handle(request: Request): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/stop') return stop();
  return Response.json({ path: pathname, visit: count(pathname) });
}

const server = serveHttp({ port: Number(env.PORT ?? 3032) }, handle);
console.log(`listening on ${server.url}`);
