#!/usr/bin/env bash
# `fino types`: with what it prints and writes, real programs compile, strictly, with each of two versions of TypeScript
# and several of its libraries, and wrong ones don't. And types/ has all that fino has at run time, and no more.
# TIMEOUT: 240
source "$(dirname "$0")/lib.sh"

mapfile -t modules < <(node "$root/tests/types/compare.mjs" modules)
"$fino" run "$root/tests/types/dump.mjs" "${modules[@]}" >dump.json
node "$root/tests/types/compare.mjs" <dump.json || fail "types/ and fino differ"

mkdir -p project bad
cp "$root/example_profile.ts" "$root"/examples/*.ts "$root"/tests/programs/*.ts "$root"/tests/types/program.ts project/
cat >bad/bad.ts <<'TS'
import { DiskFileSystem } from 'fino:file';
import { nothing } from 'fino:process';
const text: number = await new DiskFileSystem().readFile('x');
new DiskFileSystem().none();
console.log(text, nothing);
export {};
TS

config() { # config FOLDER LIBS INCLUDE...
  local include=("${@:3}")
  cat >"$1/tsconfig.json" <<JSON
{ "compilerOptions": { "target": "ES2022", "module": "ESNext", "moduleResolution": "Bundler", "strict": true, "noEmit": true,
    "skipLibCheck": false, "experimentalDecorators": false, "lib": $2 },
  "include": [$(printf '"%s",' "${include[@]}" | sed 's/,$//')] }
JSON
}
compile() { # compile VERSION FOLDER
  node "$root/build/npm/$1/lib/tsc.js" -p "$2"
}

"$fino" types >project/fino.d.ts
for version in typescript typescript-5.8; do
  for libs in '["ES2022"]' '["ESNext"]'; do
    config project "$libs" '*.ts'
    compile $version project || fail "$version, $libs: it doesn't compile"
  done
done

# As a package, which TypeScript finds by itself.
rm project/fino.d.ts
"$fino" types --out=project/node_modules/@types/fino
config project '["ES2022"]' '*.ts'
compile typescript-5.8 project || fail "the package isn't found"
cp -r project/node_modules bad/
config bad '["ES2022"]' '*.ts'
expect_status 2 compile typescript-5.8 bad
for what in "bad.ts(2,10): error TS2614" "bad.ts(3,7): error TS2322" "bad.ts(4,22): error TS2339"; do expect_text out "$what"; done
[ "$(grep -c error out)" = 3 ] || fail "not these three errors alone: $(<out)"

# Beside the library DOM, for programs that share code with a browser.
# (These two have global types of their own, named as two of that library's.)
rm -r project/node_modules project/allocation.ts project/nbody.ts
"$fino" types --dom --out project/types
[ ! -e project/types/fino-web.d.ts ] || fail "--dom has the web's declarations"
config project '["ES2022", "DOM", "DOM.Iterable"]' '*.ts' 'types/index.d.ts'
for version in typescript typescript-5.8; do compile $version project || fail "$version, DOM: it doesn't compile"; done

expect_status 2 "$fino" types --none
expect_text err "fino types [--out=DIR] [--dom]"
expect_status 2 "$fino" types --out
: >plain
expect_status 1 "$fino" types --out=plain/below
expect_text err "plain"
expect_status 1 sh -c "'$fino' types >/dev/full"
