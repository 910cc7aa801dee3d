#!/usr/bin/env bash
# Thousands of files in a row, in a ring, in a tree, side by side: loaded without recursion.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

# TIMEOUT: 120
node - <<'JS' || skip "node makes the files and is not there"
const fs = require('fs'), count = 10000;
for (const folder of ['chain', 'ring', 'tree', 'wide']) fs.mkdirSync(folder);
let wide = '';
for (let i = 0; i < count; i++) {
  const next = i + 1 < count ? `import { v as w } from './m${i + 1}.js'; export const v = w + 1;` : 'export const v = 1;';
  fs.writeFileSync(`chain/m${i}.js`, next);
  fs.writeFileSync(`ring/m${i}.js`, `import { f as g } from './m${(i + 1) % count}.js'; export function f() { return ${i}; } export const v = ${count};`);
  const children = [2 * i + 1, 2 * i + 2].filter((child) => child < count);
  fs.writeFileSync(`tree/m${i}.js`, children.map((child) => `import { v as v${child} } from './m${child}.js';`).join('') +
    `export const v = 1${children.map((child) => ` + v${child}`).join('')};`);
  if (i > 0) fs.writeFileSync(`wide/m${i}.js`, 'export const v = 1;');
  if (i > 0) wide += `import { v as v${i} } from './m${i}.js';`;
}
fs.writeFileSync('wide/m0.js', `${wide} export const v = ${count - 1} + v1;`);
JS
for folder in chain ring tree wide; do
  echo "import { v } from './$folder/m0.js'; console.log(v);" > main.mjs
  expect_status 0 "$fino" run main.mjs
  [ "$(cat out)" = 10000 ] || fail "$folder: $(cat out)"
done
