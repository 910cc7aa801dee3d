#!/usr/bin/env bash
# Directories as deep as a path can say are made, and trees many times deeper removed: a level of either took up some of
# the thread's stack once, which ended the process.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
ulimit -n "$(ulimit -Hn)" || true
cat >deep.mjs <<'JS'
import { DiskFileSystem } from 'fino:file';
const files = new DiskFileSystem();
const depth = 2000;
const down = 'd/'.repeat(depth);
for (const path of [down, `${down}/`, `./${down}.//`]) await files.mkdir(path, { recursive: true });
console.log((await files.stat(down)).kind);
await files.writeFile('file', '');
for (const path of ['file/a', 'file']) {
  await files.mkdir(path, { recursive: true }).then(() => console.log('made', path), (error) => console.log(error.code));
}
// Three more of them, each with the last one at its bottom.
for (let i = 0; i < 3; i++) {
  await files.rename('d', 'below');
  await files.mkdir('d/'.repeat(depth - 10), { recursive: true });
  await files.rename('below', `${'d/'.repeat(depth - 10)}d`);
}
await files.rmdir('d', { recursive: true }).then(() => console.log('removed'), (error) => console.log(error.code));
JS
expect_status 0 "$fino" run deep.mjs
want=removed
[ "$(ulimit -n)" != unlimited ] && [ "$(ulimit -n)" -lt 8100 ] && want=EMFILE # one for each level
[ "$(xargs <out)" = "directory ENOTDIR EEXIST $want" ] || { cat out >&2; fail "not what should be there"; }
[ $want = EMFILE ] || [ ! -e d ] || fail "something is left"
