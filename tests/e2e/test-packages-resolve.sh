#!/usr/bin/env bash
# Bare specifiers, for import and for require(): the same programs mean the same files as under Node.
source "$(dirname "$0")/lib.sh"

write() { mkdir -p "$(dirname "$1")" && cat >"$1"; } # write FILE <TEXT

package() { # package NAME PACKAGE.JSON: with one file for each way to ask for it
  write "node_modules/$1/package.json" <<<"$2"
  for file in index main import require deep/one deep/two; do
    write "node_modules/$1/$file.js" <<<"module.exports = '$1/$file.js';"
    write "node_modules/$1/$file.mjs" <<<"export default '$1/$file.mjs';"
  done
}

package plain '{}'
package main '{ "main": "./main" }'
package main-directory '{ "main": "deep" }'
write node_modules/main-directory/deep/index.js <<<'module.exports = "main-directory/deep/index.js";'
package main-missing '{ "main": "./gone.js" }'
package dual '{ "exports": { "import": "./import.mjs", "require": "./require.js" } }'
package only-require '{ "main": "./main.js", "exports": { ".": { "node": { "require": "./require.js" }, "default": "./index.js" } } }'
package nested '{ "exports": { ".": { "types": "./index.d.ts", "import": { "development": "./gone.js", "default": "./import.mjs" }, "default": "./main.js" } } }'
package text '{ "exports": "./main.js" }'
package list '{ "exports": ["invalid", { "worker": "./gone.js" }, "./main.js"] }'
package patterns '{ "exports": { "./*": "./deep/*.js", "./*.mjs": "./deep/*.mjs", "./deep/private/*": null, "./in/*/x": "./deep/*.js" } }'
package @scope/name '{ "name": "@scope/name", "exports": { ".": "./index.js", "./self": "./self.js", "./self.mjs": "./self.mjs" } }'
write node_modules/@scope/name/self.js <<<'module.exports = require("@scope/name");'
write node_modules/@scope/name/self.mjs <<<'export { default } from "@scope/name";'
package internal '{ "imports": { "#one": "./deep/one.js", "#all/*": "./deep/*.js", "#other": "plain", "#no": null }, "exports": { ".": "./use.js", "./use.mjs": "./use.mjs" } }'
write node_modules/internal/use.js <<<'module.exports = [require("#one"), require("#all/two"), require("#other")];'
write node_modules/internal/use.mjs <<<'import a from "#one"; import b from "#all/two"; import c from "#other"; export default [a, b, c];'
package modules '{ "type": "module", "exports": "./esm.js" }'
write node_modules/modules/esm.js <<<'export const here = typeof require; export default "modules/esm.js";'
write node_modules/outer/index.js <<<'module.exports = require("inner");'
write node_modules/inner/index.js <<<'module.exports = "the one above";'
write node_modules/outer/node_modules/inner/index.js <<<'module.exports = "the one inside";'
write node_modules/broken/package.json <<<'{ "exports": '
write node_modules/single.js <<<'module.exports = "node_modules/single.js";'
write node_modules/data/index.json <<<'{ "data": [1, 2] }'

write specifiers.json <<'EOF'
["plain", "plain/main.js", "plain/deep/one.js", "main", "main-directory", "main-missing", "dual", "only-require", "nested",
 "text", "list", "patterns/one", "patterns/two.mjs", "patterns/in/one/x", "patterns", "patterns/deep/private/x",
 "@scope/name", "@scope/name/self", "@scope/name/self.mjs", "@scope/name/main.js", "internal", "internal/use.mjs",
 "modules", "modules/esm.js", "outer", "inner", "broken", "gone", "gone/deep", "@scope", "dual/main.js", "#none", "text/",
 "plain/none.js", "data/index.json"]
EOF
write import.mjs <<'EOF'
import list from './specifiers.json' assert { type: 'json' };
for (const specifier of list) {
  if (specifier.endsWith('.json')) continue;
  try {
    const module = await import(specifier);
    console.log(specifier, module.default, import.meta.resolve(specifier).replace(/.*node_modules/, ''));
  } catch (error) {
    console.log(specifier, error.code);
  }
}
EOF
write require.cjs <<'EOF'
// Node's require() says less of what is wrong here, and takes what only Node's own condition has.
const others = ['broken', '@scope', '#none', 'only-require'];
const list = require('./specifiers').filter((specifier) => !others.includes(specifier));
for (const specifier of [...list, 'plain/main', 'plain/deep', 'single', 'data', './node_modules/main', '.']) {
  try {
    const found = require(specifier);
    console.log(specifier, found.default ?? found, require.resolve(specifier).replace(/.*node_modules/, ''));
  } catch (error) {
    console.log(specifier, error.code);
  }
}
EOF
for file in import.mjs require.cjs; do
  node --no-warnings "$file" >"node.$file"
  expect_status 0 "$fino" run "$file"
  expect_same "node.$file" out
done
[ "$(grep -c ' ERR_' node.import.mjs)" -gt 8 ] && [ "$(grep -c / node.require.cjs)" -gt 20 ] || fail 'few were found, or none missed'

# fino's own condition comes before all others; `require` after those of an import.
package own '{ "exports": { "default": "./main.js", "fino": "./import.mjs" } }'
package first '{ "exports": { "fino": "./deep/one.js", "import": "./import.mjs", "default": "./main.js" } }'
package last '{ "exports": { "require": "./require.js" } }'
write own.mjs <<'EOF'
import own from 'own'; import first from 'first'; import last from 'last';
console.log(own, first, last);
EOF
expect_status 0 "$fino" run own.mjs
expect_text out 'own/main.js first/deep/one.js last/require.js'

# Who wanted it, where it was looked for, what there is instead.
miss() { # miss SPECIFIER TEXT...
  echo "import '$1';" >missing.mjs
  expect_status 1 "$fino" run missing.mjs
  expect_text err "imported from $(pwd -P)/missing.mjs:1:8"
  shift
  for text; do expect_text err "$text"; done
}
miss gone "no package 'gone' in $(pwd -P)/node_modules or in one above it" 'npm install gone'
miss dual/main.js "does not export './main.js'" "only '.'"
miss broken 'broken/package.json is not valid JSON'
miss patterns/deep/private/x 'keeps' null
