// prettier formats a file of 220 kB to two widths.
import * as prettier from '../../build/programs/prettier/standalone.mjs';
import * as babel from '../../build/programs/prettier/plugins/babel.mjs';
import * as estree from '../../build/programs/prettier/plugins/estree.mjs';
import text from '../../build/programs/acorn_text.mjs';
import { summary } from './summary.mjs';

for (const printWidth of [100, 80]) {
  const formatted = await prettier.format(text, { parser: 'babel', plugins: [babel, estree], printWidth });
  console.log(summary(formatted));
}
