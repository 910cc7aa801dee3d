#!/usr/bin/env bash
# Programs that TypeScript must compile, not only strip: those of tests/fixtures/typescript do under fino what they do
# under Node when TypeScript has compiled them. One with a tsconfig.NAME.json beside its own is run with that, too.
source "$(dirname "$0")/lib.sh"
programs=$root/tests/fixtures/typescript
"$root/tests/npm.sh" typescript
cp -R "$programs/react" . # which transpile.mjs looks for beside a program

for config in "$programs"/*/tsconfig*.json; do
  folder=${config%/*}
  name=${folder##*/}
  if [ "${config##*/}" != tsconfig.json ]; then
    name+=${config#"$folder/tsconfig"}
    cp -R "$folder" "$work/$name.in"
    folder=$work/$name.in
    cp "$config" "$folder/tsconfig.json"
  fi
  main=$(compgen -G "$folder/main.*")
  node "$programs/transpile.mjs" "$root/build/npm/typescript/lib/typescript.js" "$folder" "$work/$name"
  node "$work/$name/main.mjs" >"$work/$name.want" 2>&1 || { cat "$work/$name.want"; fail "$name fails under Node"; }
  "$fino" run "$main" >"$work/$name.got" 2>&1 || { tail -n 20 "$work/$name.got"; fail "$name fails under fino"; }
  [ -s "$work/$name.want" ] || fail "$name prints nothing"
  expect_same "$work/$name.want" "$work/$name.got"
done
