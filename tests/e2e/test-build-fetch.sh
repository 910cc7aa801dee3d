#!/usr/bin/env bash
# vendor/fetch.sh: verified, whole or not at all, from its cache without a network, and as any user.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

clone() { # clone FOLDER: a vendor/ that has nothing fetched yet
  rm -rf "$1" && mkdir "$1" && cp "$root"/vendor/{fetch.sh,pins} "$1/"
}
offline=()
if unshare -n true 2>/dev/null; then offline=(unshare -n); fi

echo "-- from the cache, without a network"
clone a
cp -R "$root/vendor/cache" a/
"${offline[@]}" a/fetch.sh
[ -e a/v8/include/v8.h ] && [ -e a/v8/lib/libnode.so ] && [ -e a/xxhash/include/xxhash.h ] || fail "not all there"
[ -z "$(LD_LIBRARY_PATH=a/v8/lib ldd a/v8/lib/libnode.so | grep 'not found')" ] || fail "libnode lacks a library"
before=$(find a -printf '%p %T@\n' | sort | sha256sum)
"${offline[@]}" a/fetch.sh
[ "$(find a -printf '%p %T@\n' | sort | sha256sum)" = "$before" ] || fail "a second run changes something"

echo "-- a package that is not what was pinned"
clone b
sed -i '/^libxxhash-dev/s/ [0-9a-f]*$/ 0000000000000000000000000000000000000000000000000000000000000000/' b/pins
if b/fetch.sh xxhash >out 2>err; then fail "takes a package with another hash"; fi
expect_text err "not the hash"
[ -z "$(ls b/cache)" ] && [ ! -e b/xxhash ] || { ls -R b >&2; fail "leaves something behind"; }

echo "-- a damaged cache is not believed"
clone c
mkdir c/cache
for file in "$root"/vendor/cache/libxxhash-dev*.deb; do head -c 1000 "$file" >"c/cache/${file##*/}"; done
c/fetch.sh xxhash 2>err
expect_text err downloading
[ -e c/xxhash/include/xxhash.h ] || fail "not fetched"

echo "-- a version that is newer than the pinned ones"
clone d
sed -i 's/^\(libxxhash-dev\) [^ ]*/\1 0.7.0-1/' d/pins
d/fetch.sh xxhash 2>err
expect_text err "newer than the pinned 0.7.0-1"
echo "-- one that is older"
clone d
sed -i 's/^\(libxxhash-dev\) [^ ]*/\1 9.0.0-1/' d/pins
if d/fetch.sh xxhash 2>err; then fail "takes an older package"; fi
expect_text err "needs 9.0.0-1 or newer"

echo "-- interrupted at any moment, it leaves nothing half-done"
for delay in 0.1 0.3 0.6 1 2; do
  clone e
  setsid e/fetch.sh >out 2>err &
  sleep $delay
  kill -INT -- -$! 2>/dev/null || true
  wait $! || true
  for part in v8 xxhash; do [ ! -e e/$part ] || [ -e e/$part/pins ] || fail "e/$part is half-done"; done
  find e/cache -name '*.deb' 2>/dev/null | while read -r file; do
    sha=$(sha256sum <"$file")
    grep -qF "${sha%  -}" e/pins || fail "$file is half-done"
  done
done
e/fetch.sh 2>err
[ -e e/v8/lib/libnode.so ] && [ -e e/xxhash/include/xxhash.h ] || fail "a run after interrupted ones fails"

echo "-- as a user without rights or package lists"
if [ "$(id -u)" = 0 ]; then
  clone f
  chmod 755 "$work" && chown -R 65534:65534 f
  setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent f/fetch.sh xxhash 2>err || { cat err >&2; fail "fails as nobody"; }
  [ -e f/xxhash/include/xxhash.h ] || fail "not fetched as nobody"
fi
