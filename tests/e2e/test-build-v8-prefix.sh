#!/usr/bin/env bash
# V8_PREFIX: a V8 of the user's own, with nothing but include/ and lib/, is what fino is built with and runs on.
# TIMEOUT: 600
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
mkdir -p tree/tests mine/lib
cp -R "$root"/{build.sh,src,types} tree/ && cp "$root"/tests/{check.sh,signal_symbols.txt} tree/tests/
mkdir -p tree/vendor && cp -R "$root"/vendor/{fetch.sh,pins,xxhash} tree/vendor/
cp -R "$root/vendor/v8/include" mine/ && cp -RL "$root"/vendor/v8/lib/*.so.* mine/lib/
(cd tree && V8_PREFIX=$work/mine ./build.sh) >out 2>err || { cat err >&2; fail "does not build"; }
[ ! -e tree/vendor/v8 ] || fail "fetched V8 all the same"
ldd tree/build/fino >libraries
expect_text libraries "$work/mine/lib/libnode"
echo 'console.log("it runs")' >script.mjs
expect_status 0 tree/build/fino run script.mjs
expect_text out "it runs"
