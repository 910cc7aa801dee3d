#!/usr/bin/env bash
# Where the profile can't be written, fino says so before it runs anything, and does not succeed.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
echo 'console.log("ran")' >script.mjs

refused() { # refused TEXT COMMAND...
  local text=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [ $status != 0 ] && [ $status -lt 128 ] || { cat err >&2; fail "exit code $status: $*"; }
  expect_text err "$text"
  if grep -q ran out; then fail "ran the script in spite of it"; fi
}

refused missing "$fino" run --profile=missing/profile.pb script.mjs
mkdir is-a-folder
refused is-a-folder "$fino" run --profile=is-a-folder script.mjs
refused script.mjs/x.pb "$fino" run --profile=script.mjs/x.pb script.mjs

mkdir read-only
chmod 555 read-only
as_user=()
if [ "$(id -u)" = 0 ]; then # root may write everywhere: be someone else
  chmod 755 "$work"
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  "${as_user[@]}" test -x "$fino" || { cp -R "$(dirname "$fino")/../vendor/v8/lib" "$fino" . && fino=$work/fino; }
fi
refused read-only env LD_LIBRARY_PATH="$work/lib" "${as_user[@]}" "$fino" run --profile=read-only/profile.pb script.mjs
[ -z "$(ls -A read-only)" ] || fail "left something in read-only/"
