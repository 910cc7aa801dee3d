#!/usr/bin/env bash
# Fetches V8 and xxHash from Debian's archive into vendor/, as any user, installing nothing.
#   vendor/v8/include, vendor/v8/lib    headers, libnode.so.108 and those of its libraries this machine lacks
#   vendor/xxhash/include               xxhash.h (header only)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$here/cache
mkdir -p "$cache"
download() { (cd "$cache" && ls "$1"_*.deb >/dev/null 2>&1 || apt-get -qq download "$1" 2>/dev/null); }
unpack() { dpkg-deb -x "$cache/$1"_*.deb "$cache/root"; }
for package in libnode108 libnode-dev libxxhash-dev; do download $package; unpack $package; done
mkdir -p "$here/v8/lib" "$here/xxhash/include"
cp -a "$cache/root/usr/include/nodejs/deps/v8/include" "$here/v8/"
cp -a "$cache"/root/usr/lib/*/libnode.so.108 "$here/v8/lib/"
ln -sf libnode.so.108 "$here/v8/lib/libnode.so"
cp -aL "$cache"/root/usr/include/xx*.h "$here/xxhash/include/"
