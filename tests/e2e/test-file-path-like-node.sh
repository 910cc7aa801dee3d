#!/usr/bin/env bash
# fino:file/path says what Node's path.posix and url say, on paths made at random of the parts that matter. Left out are
# what Node itself says differently of equal paths: basename('a/', 'a') is 'a/', parse('/..').ext is '.'.
source "$(dirname "$0")/lib.sh"

cat >cases.mjs <<'JS'
let seed = 7;
const random = (count) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 16) % count; };
const parts = ['/', '/', '/', '.', '..', 'a', 'b.c', '.d', 'e.', 'é', 'f g', 'h%i', '...', 'j.k.l', '', '?', '#', '\\'];
const path = () => Array.from({ length: random(8) }, () => parts[random(parts.length)]).join('');
const tried = (run) => { try { return run(); } catch (error) { return error.name; } };
export function report(path_, toUrl, fromUrl) {
  const lines = [];
  for (let i = 0; i < 20000; i++) {
    const [a, b, c] = [path(), path(), path()];
    const said = [a, b, c, path_.join(a, b, c), path_.resolve(a, b, c), path_.relative(a, b), path_.dirname(a),
      path_.basename(a), a.endsWith('/') ? '' : path_.basename(a, b), path_.extname(a), path_.normalize(a), path_.isAbsolute(a), path_.basename(a) === '..' ? '' : path_.parse(a),
      path_.format(path_.parse(a)), path_.format({ dir: a, base: b }), path_.format({ root: '/', name: c, ext: '.x' }),
      toUrl(a).href, fromUrl(toUrl(a))];
    lines.push(JSON.stringify(said));
  }
  for (const url of ['file:///a%20b', 'file:///a%2Fb', 'file://host/a', 'http://x/', 'file:///%zz', 'file:///ü?q#f']) {
    lines.push(JSON.stringify([url, tried(() => fromUrl(url)) === 'TypeError' || tried(() => fromUrl(url))]));
  }
  console.log(lines.join('\n'));
}
JS
cat >ours.mjs <<'JS'
import path from 'fino:file/path';
import { report } from './cases.mjs';
report(path, path.toFileUrl, path.fromFileUrl);
JS
cat >theirs.mjs <<'JS'
import { posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { report } from './cases.mjs';
report(posix, pathToFileURL, fileURLToPath);
JS
"$fino" run ours.mjs >ours
node theirs.mjs >theirs
[ "$(wc -l <ours)" = 20006 ] || fail "only $(wc -l <ours) cases"
expect_same ours theirs
