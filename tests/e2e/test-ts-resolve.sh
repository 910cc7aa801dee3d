#!/usr/bin/env bash
# How a TypeScript file names another: './x.js' for x.ts, './x' and './dir' without extension or index, with a note when
# that could be two files; `paths` and `baseUrl` of the nearest tsconfig.json, and not of a package's.
source "$(dirname "$0")/lib.sh"

give() { mkdir -p "$(dirname "$1")"; echo "${2-export const from: string = '$1';}" >"$1"; }
check() { # check SPECIFIER WANT: what a TypeScript file in src gets
  printf 'import { from } from "%s";\nconsole.log(from);\n' "$1" >src/main.ts
  expect_status 0 "$fino" run src/main.ts
  [ "$(<out)" = "$2" ] || { cat err; fail "'$1' is $(<out), not $2"; }
}
quiet() { check "$@"; [ ! -s err ] || { cat err; fail "'$1' says something"; }; }

for file in src/a.ts src/b.tsx src/c.mts src/d.cts src/dir/index.ts src/dirx/index.tsx src/dot.name.ts src/plain/index.js; do
  give $file
done
echo "exports.from = 'src/d.cts'" >src/d.cts
echo "export const from = 'src/plain/index.js'" >src/plain/index.js
give src/js.js "export const from = 'src/js.js';"
quiet ./a src/a.ts
quiet ./a.js src/a.ts
quiet ./a.ts src/a.ts
quiet ./b src/b.tsx
quiet ./b.js src/b.tsx
quiet ./b.jsx src/b.tsx
quiet ./c src/c.mts
quiet ./c.mjs src/c.mts
quiet ./dir src/dir/index.ts
quiet ./dir/ src/dir/index.ts
quiet ./dir/index src/dir/index.ts
quiet ./dirx src/dirx/index.tsx
quiet ./dot.name src/dot.name.ts
quiet ./plain src/plain/index.js
quiet ./js src/js.js
quiet "./a?x=1" src/a.ts
give src/index.ts
quiet . src/index.ts
quiet ./ src/index.ts
quiet ../src src/index.ts

# Which of two? TypeScript's choice, and a note that says so.
give src/both.ts
give src/both/index.ts
give src/pair.js "export const from = 'src/pair.js';"
give src/pair.ts
check ./both src/both.ts
expect_text err "main.ts:1:22: note: './both' could mean $(pwd -P)/src/both.ts or $(pwd -P)/src/both/index.ts"
quiet ./both/ src/both/index.ts
check ./pair src/pair.ts
expect_text err "could mean $(pwd -P)/src/pair.ts or $(pwd -P)/src/pair.js"
check ./pair.js src/pair.js
expect_text err "could mean $(pwd -P)/src/pair.js or $(pwd -P)/src/pair.ts"
quiet ./pair.ts src/pair.ts

# A JavaScript file has JavaScript's rules.
echo 'import "./a";' >src/main.mjs
expect_status 1 "$fino" run src/main.mjs
expect_text err "did you mean './a.ts'?"
echo 'import "./none";' >src/main.ts
expect_status 1 "$fino" run src/main.ts
expect_text err "tried $(pwd -P)/src/none"

# paths and baseUrl
give lib/one.ts
give lib/deep/two/index.ts
give lib/special.ts
give other/three.ts
give generated/four.ts
give types/five.d.ts 'export declare const from: string;'
give node_modules/pack/inner.ts 'import { from as x } from "@/one"; export const from = x;'
cat >tsconfig.json <<'END'
{
  // comments, and a trailing comma
  "compilerOptions": { "strict": true, "unknown": [1, { "a": null }],
    "paths": { "@/*": ["./lib/*", "./other/*"], "@/special": ["lib/special.ts"], "*.gen": ["./generated/*.ts"],
      "exact": ["./lib/one"], "five": ["./types/five"], "#inner/*": ["./lib/deep/*"], "pack": ["./node_modules/pack/inner.ts"], },
  },
}
END
quiet @/one lib/one.ts
quiet @/one.js lib/one.ts
quiet @/special lib/special.ts
quiet @/deep/two lib/deep/two/index.ts
quiet @/three other/three.ts
quiet four.gen generated/four.ts
quiet exact lib/one.ts
quiet '#inner/two' lib/deep/two/index.ts
miss() { # miss SPECIFIER TEXT
  echo "import '$1';" >src/main.ts
  expect_status 1 "$fino" run src/main.ts
  expect_text err "$2"
}
miss @/none "Cannot find module '@/none'"
miss five "Cannot find module 'five'"
miss exactly "Cannot find module 'exactly'"
miss pack "Cannot find module '@/one'" # the project's paths are not the package's

give src/sub/tsconfig.json '{ "extends": ["../../tsconfig.json", "../../second"], "compilerOptions": { "baseUrl": "../../other" } }'
give second.json '{ "compilerOptions": { "paths": { "%/*": ["${configDir}/*"] } } }'
give src/sub/six.ts
printf 'import { from as a } from "%%/six"; import { from as b } from "three"; console.log(a, b);' >src/sub/main.ts
expect_status 0 "$fino" run src/sub/main.ts
[ "$(<out)" = "src/sub/six.ts other/three.ts" ] || fail "extends: $(<out)"

# extends of a package
rm tsconfig.json
give node_modules/@tsconfig/base/tsconfig.json '{ "compilerOptions": { "paths": { "base": ["../../../lib/one.ts"] } } }'
give node_modules/named/package.json '{ "name": "named", "tsconfig": "the.json" }'
give node_modules/named/the.json '{ "compilerOptions": { "paths": { "base": ["../../lib/special.ts"] } } }'
for pair in @tsconfig/base=lib/one.ts @tsconfig/base/tsconfig.json=lib/one.ts @tsconfig/base/tsconfig=lib/one.ts \
  named=lib/special.ts named/the=lib/special.ts; do
  give tsconfig.json "{ \"extends\": \"${pair%=*}\" }"
  quiet base "${pair#*=}"
done
