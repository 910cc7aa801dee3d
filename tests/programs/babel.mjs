// Babel turns 220 kB of modern JavaScript into what two old browsers understand.
import babel from '../../build/programs/babel.mjs';
import text from '../../build/programs/acorn_text.mjs';
import { summary } from './summary.mjs';

for (const ie of ['11', '9']) {
  const { code } = babel.transform(text, {
    filename: 'acorn.mjs', babelrc: false, configFile: false, compact: false,
    presets: [['env', { targets: { ie }, modules: 'commonjs' }]],
  });
  console.log(summary(code));
}
