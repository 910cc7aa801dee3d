// typescript.js transpiles 600 kB of itself, twice.
import ts from '../../build/programs/typescript.mjs';
import text from '../../build/programs/typescript_text.mjs';
import { summary } from './summary.mjs';

for (const target of [ts.ScriptTarget.ES5, ts.ScriptTarget.ES2015]) {
  const { outputText } = ts.transpileModule(text, { compilerOptions: { target, module: ts.ModuleKind.CommonJS } });
  console.log(ts.ScriptTarget[target], summary(outputText));
}
