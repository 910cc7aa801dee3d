#!/usr/bin/env bash
# Puts the npm packages of tests/npm_pins (name, exact version, SHA-512 of the tarball) into build/npm/NAME, or where the
# line's fourth word says, verified. Nothing of theirs is run or installed. npm.sh [NAME...]: only these.
set -euo pipefail
cd "$(dirname "$0")/.."

fetch_one() { # fetch_one NAME VERSION HASH INTO
  local into=build/npm/$4 work
  [ ! -e "$into/.fetched" ] || [ "$(<"$into/.fetched")" != "$2" ] || return 0
  mkdir -p "build/npm"
  work=$(mktemp -d build/npm/.work.XXXXXX)
  echo "  fetch $1 $2"
  npm pack "$1@$2" --silent --ignore-scripts --pack-destination "$work" >/dev/null ||
    { rm -rf "$work"; echo "tests/npm.sh: npm can't fetch $1@$2" >&2; return 1; }
  mv "$work"/*.tgz "$work/package.tgz"
  if [ "$(sha512sum <"$work/package.tgz")" != "$3  -" ]; then
    rm -rf "$work"
    echo "tests/npm.sh: $1@$2 has not the hash that tests/npm_pins says" >&2
    return 1
  fi
  mkdir "$work/package" && tar -xzf "$work/package.tgz" -C "$work/package" --strip-components=1
  echo "$2" >"$work/package/.fetched"
  mkdir -p "${into%/*}"
  rm -rf "$into" && mv "$work/package" "$into"
  rm -rf "$work"
}

while read -r name version hash into; do
  into=${into:-$name}
  case $name in '' | '#'*) continue ;; esac
  if [ $# -eq 0 ] || [[ " $* " == *" $into "* ]]; then fetch_one "$name" "$version" "$hash" "$into"; fi
done <tests/npm_pins
