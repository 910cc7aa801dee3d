#!/usr/bin/env bash
# Forty Realms at once: none is lost, and every function that was met has its name. (V8 lays isolates out differently when
# the address space near its library is used up, after some twenty.)
. "$(dirname "$0")/lib.sh"

cat >main.mjs <<'JS'
import { Realm } from 'fino:realm';
const source = `import { realm } from 'fino:realm/self';
  import process from 'fino:process';
  function burn() {
    for (const end = process.threadCpuUsage().user + 1e4; process.threadCpuUsage().user < end;);
  }
  burn();
  realm.port.onmessage = () => realm.port.close();`;
const realms = Array.from({ length: 40 }, () => Realm.fromSource(source, { name: 'of many' }));
const ends = realms.map((realm) => realm.run());
for (const realm of realms) realm.port.postMessage('end');
await Promise.all(ends);
JS
expect_status 0 "$fino" run --profile --profile-interval=1ms main.mjs
expect_valid_profile profile.pb
tool json profile.pb >profile.json
[ "$(grep -oE '"of many(#[0-9]+)?"' profile.json | sort -u | wc -l)" = 40 ] || { cat profile.json >&2; fail 'a Realm is missing'; }
go tool pprof -comments profile.pb | grep -q ' 0 frames unresolved' || fail "frames have no name: $(go tool pprof -comments profile.pb)"
