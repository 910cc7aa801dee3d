// acorn parses 600 kB, terser minifies acorn.
import { parse } from '../../build/programs/acorn.mjs';
import { minify } from '../../build/programs/terser/main.js';
import large from '../../build/programs/terser_parse_text.mjs';
import text from '../../build/programs/acorn_text.mjs';
import { summary } from './summary.mjs';

let nodes = 0;
for (let round = 0; round < 10; round++) {
  const tree = parse(large, { ecmaVersion: 'latest', sourceType: 'module', onToken: () => nodes++ });
  nodes += tree.body.length;
}
console.log(nodes, 'tokens and statements');
const { code } = await minify(text, { module: true, compress: { passes: 1 } });
console.log(summary(code));
