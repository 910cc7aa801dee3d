#!/usr/bin/env bash
# `install PREFIX` needs nothing of the source tree, and PREFIX can be moved.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
mkdir tree
cp -a "$root"/{build.sh,src,vendor} tree/
mkdir tree/tests tree/build && cp -a "$root"/tests/{check.sh,signal_symbols.txt} tree/tests/
cp -a "$root"/build/{release,fino,fino.link} tree/build/
(cd tree && ./build.sh install "$work/prefix") >out
rm -rf tree
mv prefix moved
echo 'const words: string[] = ["it", "runs"]; console.log(words.join(" "));' >script.ts
expect_status 0 env -i "$work/moved/bin/fino" run --profile script.ts
expect_text out "it runs"
expect_valid_profile profile.pb
ldd moved/bin/fino | grep -F 'libnode' | grep -F "$work/moved/" >/dev/null || { ldd moved/bin/fino >&2; fail "V8 is not loaded from PREFIX"; }
if ldd moved/bin/fino | grep -F 'not found'; then fail "a library is missing"; fi
if readelf -d moved/bin/fino | grep -iE 'r(un)?path' | grep -F "$root"; then fail "it names the source tree"; fi
