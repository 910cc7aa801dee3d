#!/usr/bin/env bash
# Forms between fino and others: what curl and Node send as multipart/form-data and urlencoded is what the handler gets, and
# what fino sends Node reads.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

cat >server.mjs <<'JS'
import { serveHttp } from 'fino:net/http/server';
async function shown(form) {
  const list = [];
  for (const [name, value] of form) {
    list.push(typeof value === 'string' ? [name, value] : [name, value.name, value.type, [...await value.bytes()].join()]);
  }
  return list;
}
const make = () => {
  const form = new FormData();
  form.append('text', 'gr\u00fc\u00dfe\r\n"x"');
  form.append('f', new File([new Uint8Array([0, 13, 10, 45, 45, 255])], 'na"me \u00e9.bin', { type: 'a/b' }));
  form.append('empty', '');
  return form;
};
const server = serveHttp({}, async (request) => {
  if (request.method === 'GET') return new Response(make());
  return Response.json(await shown(await request.formData()));
});
console.log(server.url);
JS
cat >client.mjs <<'JS'
import assert from 'node:assert/strict';
const url = process.argv[2];
const post = async (body) => (await fetch(url, { method: 'POST', body })).json();
const form = new FormData();
form.append('text', 'gr\u00fc\u00dfe "x"; y');
form.append('f', new Blob([new Uint8Array([0, 13, 10, 45, 45, 255])], { type: 'a/b' }), 'na"me \u00e9.bin');
form.append('text', '');
assert.deepEqual(await post(form), [['text', 'gr\u00fc\u00dfe "x"; y'], ['f', 'na"me \u00e9.bin', 'a/b', '0,13,10,45,45,255'], ['text', '']]);
assert.deepEqual(await post(new URLSearchParams({ a: '1 +&', b: '\u00e9' })), [['a', '1 +&'], ['b', '\u00e9']]);
const got = await (await fetch(url)).formData();
assert.deepEqual([...got.keys()], ['text', 'f', 'empty']);
assert.equal(got.get('text'), 'gr\u00fc\u00dfe\r\n"x"');
assert.equal(got.get('f').type, 'a/b');
assert.deepEqual([...new Uint8Array(await got.get('f').arrayBuffer())], [0, 13, 10, 45, 45, 255]);
JS

"$fino" run server.mjs >url 2>err &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s url ] && break; sleep 0.1; done
timeout 60 node client.mjs "$(<url)" || { cat err >&2; fail "Node is not content"; }

printf 'a\r\n--b\0c' >file.bin
curl -sS -F 'text=one two' -F 'f=@file.bin;type=x/y;filename=n.bin' -F 'empty=' "$(<url)" >out
echo -n '[["text","one two"],["f","n.bin","x/y","97,13,10,45,45,98,0,99"],["empty",""]]' >expected
expect_same out expected
curl -sS --data-urlencode 'a=b c&d' "$(<url)" >out
echo -n '[["a","b c&d"]]' >expected
expect_same out expected
[ ! -s err ] || fail "$(<err)"
