#!/usr/bin/env bash
# Packages from npm, as they are: each program of tests/packages prints under fino what it prints under Node.
source "$(dirname "$0")/lib.sh"

mapfile -t needed < <(awk '/^# Programs of tests\/packages/ { on = 1; next } on && NF { print $4 != "" ? $4 : $1 }' "$root/tests/npm_pins")
needed+=(acorn date-fns hono immer rxjs zod)
(cd "$root" && tests/npm.sh "${needed[@]}" >/dev/null)
for name in "${needed[@]}"; do # not by symbolic links: what packages load is looked for where they really are
  mkdir -p "node_modules/$name"
  cp -a "$root/build/npm/$name/." "node_modules/$name"
done
cp "$root"/tests/packages/* .
count=0
for program in *.mjs *.cjs; do
  node --no-warnings "$program" >expected
  [ -s expected ] || fail "$program prints nothing under Node"
  expect_status 0 "$fino" run "$program"
  expect_same expected out
  count=$((count + 1))
done
[ $count -ge 16 ] || fail "only $count programs"
