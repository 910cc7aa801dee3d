#!/usr/bin/env bash
# TIMEOUT: 120
# Remote Realms: the same API over TCP; who doesn't know the token gets nothing, strangers disturb nobody, and a host
# that is gone, or silent, is told from a Realm that works long.
. "$(dirname "$0")/lib.sh"

token=correct-horse-battery-staple
echo "$token" >token
echo short >short
expect_status 1 "$fino" realm-host --listen 127.0.0.1:0 --token-file short
expect_text err "has 5 bytes; 16 to 4096 are needed"
expect_status 1 "$fino" realm-host --listen 127.0.0.1:0 --token-file missing
expect_status 2 "$fino" realm-host --listen 127.0.0.1:0
expect_status 1 "$fino" realm-host --listen nonsense --token-file token

mkdir far && cp token far/ && cd far
echo 'export default (x) => `far ${x}`;' >there.mjs
"$fino" realm-host --listen 127.0.0.1:0 --token-file token >address 2>log &
host=$!
trap 'kill $host 2>/dev/null; rm -rf "$work"' EXIT
cd ..
for _ in $(seq 600); do [ -s far/address ] && break || sleep 0.1; done
address=$(sed 's/.* //' far/address)

cat >main.mjs <<'JS'
import { Realm } from 'fino:realm';
import { connect } from 'fino:net/tcp';
import { args, env, kill } from 'fino:process';

const [remote, token] = args;
function check(what, got, wanted) {
  if (env.FINO_TEST_TRACE) console.log(what);
  if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
}
const codeOf = (promise) => promise.then(() => 'nothing', (error) => error.code ?? error.name);
const begin = (source, options) => Realm.fromSource(source, { remote, token, ...options });
const PID = "import process from 'fino:process'; export default (task) => { if (task) for (;;); return process.pid; };";

// Nothing is heard of this one from here on; it takes 20 s to be sure of it.
const silent = begin(PID, { name: 'silent' });
const silentPid = await silent.call();
kill(silentPid, 'SIGSTOP');
const silence = silent.call().then(() => 'an answer', (error) => `${error.code} ${error.message}`);

const realm = begin(`import { realm } from 'fino:realm/self';
realm.port.onmessage = ({ data, ports }) => ports[0].postMessage(data, [data.buffer]);
export default (x) => { if (x < 0) throw new RangeError('below'); return [x, realm.args, realm.name]; };`, { args: [{ a: 1 }], name: 'far' });
check('a call', await realm.call(7), [7, [{ a: 1 }], 'far']);
check('an error', await codeOf(realm.call(-1)), 'RangeError');
const { port1, port2 } = new MessageChannel();
const bytes = new Uint8Array(8 << 20).fill(9);
realm.port.postMessage(bytes, [bytes.buffer, port2]);
const echo = await new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
port1.close();
check('a message', [echo.length, echo[0], echo[(8 << 20) - 1]], [8 << 20, 9, 9]);
await realm.terminate();

check('an entry of the host', await new Realm({ entry: './there.mjs', remote, token }).call(1), 'far 1');
check('an exit', await begin("import process from 'fino:process'; process.exit(5);").run(), 5);
check('a limit', await codeOf(begin('for (;;);', { limits: { cpuMs: 50 } }).run()), 'ERR_REALM_CPU_LIMIT');
check('an endless loop', await (async () => { const busy = begin(PID); const call = codeOf(busy.call(true)); await busy.terminate(); return call; })(), 'ERR_REALM_TERMINATED');
const dying = begin(PID);
kill(await dying.call(), 'SIGKILL');
check('a crash', await codeOf(dying.run()), 'ERR_REALM_LOST');

for (const wrong of ['x', `${token}x`, token.slice(1), `X${token.slice(1)}`, 'y'.repeat(4097)]) {
  const refused = await begin(PID, { token: wrong }).run().catch((error) => error);
  check('a wrong token', [refused.code, wrong.length > 4096 || /the token is another$/.test(refused.message)], ['ERR_REALM_START', true]);
}
check('no host', await codeOf(begin(PID, { remote: '127.0.0.1:1' }).run()), 'ERR_REALM_START');

// Strangers: what isn't a greeting is cut off, half a greeting waits for no one else.
const port = Number(remote.split(':')[1]);
const half = await connect({ hostname: '127.0.0.1', port });
await half.write('finorlm\n');
for (const words of ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'finorlm\n\u0001\0\0\0\u00ff\u00ff\u00ff\u007f']) {
  const stranger = await connect({ hostname: '127.0.0.1', port });
  await stranger.write(words);
  check('a stranger hears', (await stranger.read().catch(() => null)) ?? null, null);
  stranger.close();
}
check('after strangers', typeof (await begin(PID).call()), 'number');
half.close();
// A host that says anything else.
check('silence', await silence, 'ERR_REALM_LOST Realm silent was lost: nothing was heard of it for 20 s');
kill(silentPid, 'SIGKILL');
JS
timeout ${PATIENCE:-100} "$fino" run main.mjs "$address" $token || { cat far/log >&2; fail "see above"; }
kill -0 $host || fail "the host has ended"
