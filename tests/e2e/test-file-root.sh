#!/usr/bin/env bash
# No path leads out of a root: not by "..", not by links, not by links that are swapped in while it is looked at, and
# not where the kernel's openat2 is missing (a filter of system calls takes it away, as old sandboxes do).
# TIMEOUT: 60
source "$(dirname "$0")/lib.sh"

mkdir -p root/in/deep outside
echo secret >outside/secret
echo inside >root/in/file
ln -s ../../outside root/in/up
ln -s "$work/outside" root/absolute
ln -s in root/down
ln -s ../in/deep/../file root/in/around
ln -s loop root/loop
ln -s ../outside/new root/newlink

cat >try.mjs <<'JS'
import { DiskFileSystem } from 'fino:file';
const fs = new DiskFileSystem('root');
const tried = async (what, run) => {
  const said = await run().then((value) => (typeof value === 'string' ? value.trim() : 'ok'), (error) => error.code);
  console.log(`${what}: ${said}`);
};
for (const path of ['in/file', '/in/file', 'down/file', 'in/around', 'in/deep/../file', './/in/./file', 'in/up/secret', '../outside/secret',
  'in/../../outside/secret', 'absolute/secret', 'loop', 'in/file/', 'in/file/x', '/../outside/secret', 'in/deep/../../../outside/secret',
  '/proc/self/root/etc/passwd']) {
  await tried(`read ${path}`, () => fs.readFile(path));
}
for (const path of ['in/up/x', '../outside/x', 'absolute/x', 'newlink']) {
  await tried(`write ${path}`, () => fs.writeFile(path, 'x'));
  await tried(`atomic ${path}`, () => fs.writeFile(path, 'x', { atomic: true }));
  await tried(`mkdir ${path}`, () => fs.mkdir(path));
  await tried(`copy ${path}`, () => fs.copy('in/file', path));
  await tried(`open ${path}`, () => fs.open(path, 'wx'));
}
for (const path of ['in/up/secret', '../outside/secret', 'absolute/secret', '..', 'in/up', 'absolute']) {
  await tried(`stat ${path}`, () => fs.stat(path));
  await tried(`chmod ${path}`, () => fs.chmod(path, 0o777));
  await tried(`utimes ${path}`, () => fs.utimes(path, 1, 1));
  await tried(`rename ${path}`, () => fs.rename(`${path}/secret`, 'stolen'));
  await tried(`rmdir ${path}`, () => fs.rmdir(`${path}/`, { recursive: true }));
  await tried(`rmdir / ${path}`, () => fs.rmdir(path, { recursive: true }));
  await tried(`dir ${path}`, async () => { for await (const entry of fs.dir(path)) return entry.name; });
}
JS
cat >race.mjs <<'JS'
// One folder is a folder and a link to the outside by turns; whatever is read through it must be from inside.
import { DiskFileSystem } from 'fino:file';
const fs = new DiskFileSystem('root');
const counts = { inside: 0, refused: 0 };
for (let i = 0; i < 4000; i++) {
  const path = ['swap/file', 'swap/../swap/file', 'in/../swap/./file'][i % 3];
  const text = await fs.readFile(path).catch((error) => error.code);
  if (text === 'inside\n') counts.inside++;
  else if (text === 'EACCES' || text === 'ENOENT') counts.refused++;
  else throw new Error(`escaped or failed: ${text}`);
}
if (counts.inside === 0 || counts.refused === 0) throw new Error(`nothing raced: ${JSON.stringify(counts)}`);
console.log('raced');
JS
cat >swap.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    for (;;) if (renameat2(AT_FDCWD, "root/swap", AT_FDCWD, "root/other", RENAME_EXCHANGE)) return perror("swap"), 1;
}
C
cat >without.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[1])),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
    execv(argv[2], argv + 2);
    return 98;
}
C
gcc -O1 -o swap swap.c
gcc -O1 -o without without.c

cp -a root root.kept
cp -a outside outside.kept
again() { rm -rf root outside; cp -a root.kept root; cp -a outside.kept outside; }
"$fino" run try.mjs >with
diff -r outside outside.kept || fail "something outside was changed"
for errno in 38 1; do # ENOSYS, EPERM
  again
  ./without $errno "$fino" run try.mjs >"without.$errno"
  expect_same with "without.$errno"
  diff -r outside outside.kept || fail "something outside was changed"
done
for line in "read in/file: inside" "read /in/file: inside" "read down/file: inside" "read in/around: inside" \
  "read in/deep/../file: inside" "read in/up/secret: EACCES" "read ../outside/secret: EACCES" "read absolute/secret: EACCES" \
  "read in/../../outside/secret: EACCES" "read loop: ELOOP" "read in/file/: ENOTDIR" "read in/file/x: ENOTDIR" \
  "write newlink: EACCES" "atomic newlink: EACCES" "mkdir in/up/x: EACCES" "stat in/up: EACCES" "dir absolute: EACCES"; do
  expect_text with "$line"
done
! grep -qE 'secret$|: ok$' with || { grep -E 'secret$|: ok$' with; fail "a path led out"; }

again
mkdir root/swap && echo inside >root/swap/file && ln -s ../outside root/other && echo outside >outside/file
./swap &
swapper=$!
trap 'kill $swapper; rm -rf "$work"' EXIT
[ "$("$fino" run race.mjs)" = raced ] || fail "no race"
[ "$(./without 38 "$fino" run race.mjs)" = raced ] || fail "no race without openat2"
kill -0 $swapper || fail "the other side of the race has ended"
