#!/usr/bin/env bash
# A disk that is full, or becomes full while the profile is written: a clear message, a failure, and no partial file.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
# Enough different stacks for a profile that is larger than what there is room for.
cat >script.mjs <<'END'
const end = performance.now() + 700;
const functions = Array.from({ length: 300 }, (_, i) => new Function('end', 'next', `
  let x = 0; for (let i = 0; i < 2000; i++) x += Math.sqrt(i + ${i}); return next ? next(end) + x : x;`));
while (performance.now() < end) functions.forEach((f, i) => f(end, functions[(i * 7 + 1) % 300]));
console.log('ran');
END

full() { # full DIRECTORY
  expect_status 1 "${limit[@]}" "$fino" run --profile="$1/profile.pb" "$work/script.mjs"
  expect_text out ran
  expect_text err "$1/profile.pb"
  [ -z "$(find "$1" -mindepth 1 ! -name filler)" ] || { ls -la "$1" >&2; fail "left something in $1"; }
}

# By a limit on the size of files, which any user can set: 4 kB here.
mkdir limited
limit=(bash -c 'trap "" XFSZ; ulimit -f 4; exec "$@"' limited)
full limited

# By a file system of two pages, where a user may mount one.
limit=(unshare -m --map-root-user bash -c 'mount -t tmpfs -o size=8k none small && dd if=/dev/zero of=small/filler bs=4k count=1 status=none && "$@"; status=$?; ls -A small | grep -v filler && exit 99; exit $status' small)
mkdir small
if unshare -m --map-root-user true 2>/dev/null; then full small; else echo "no mount allowed here: only the limit was tried"; fi
