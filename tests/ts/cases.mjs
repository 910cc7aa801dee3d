// cases.mjs: hand-made cases: every line of cases.txt, and every type of types.txt in every context of contexts.txt. Each
// must become the program that TypeScript makes of it, with what is not moved where it was. In the files, a pilcrow stands for
// a line break.
//
//   node cases.mjs --eraser=PROGRAM [--part=N] [--verbose]      --part=N: every Nth of the combinations
import fs from 'node:fs';
import path from 'node:path';
import { compareTrees } from './compare.mjs';
import { Eraser } from './eraser.mjs';
import { parse, transpile } from './oracle.mjs';

const options = Object.fromEntries(process.argv.slice(2).map((a) => /^--([a-z]+)=?(.*)$/.exec(a).slice(1)));
const lines = (name) => fs.readFileSync(path.join(import.meta.dirname, name), 'utf8').split('\n').filter(Boolean);

const lowered = /\b(enum|namespace|module|import \w+ =|constructor)\b/;

async function check(eraser, source) {
  const expected = transpile(source, 'case.ts');
  const actual = await eraser.erase(source, 'c');
  if (actual.error) return expected.errors.length > 0 ? 'both reject' : `rejected: ${actual.error}`;
  let theirs, ours;
  try {
    theirs = parse(expected.code);
  } catch {
    return 'both reject'; // TypeScript's own output is no JavaScript
  }
  try {
    ours = parse(actual.code);
  } catch (error) {
    return expected.errors.length > 0 ? 'both reject' : `does not parse: ${error.message}\n    ${actual.code}`;
  }
  const difference = compareTrees(ours, theirs);
  if (difference) return expected.errors.length > 0 ? 'both reject' : `${difference}\n    ${actual.code}`;
  if (actual.code.split('\n').length !== source.split('\n').length) return 'lines were added or lost';
  if (!lowered.test(source) && !/<any>|<T>|<¶/.test(source) && actual.code.length !== source.length) {
    if (!/[;)]/.test(actual.code)) return 'the length changed';
  }
  return null;
}

const cases = [...lines('cases.txt'), ...lines('contexts.txt').flatMap((c) => lines('types.txt').map((t) => c.replaceAll('@', () => t))).filter((_, i) => i % Number(options.part ?? 1) === 0)];
const eraser = new Eraser(path.resolve(options.eraser));
const tally = { tried: cases.length, agreed: 0, bothReject: 0, failed: 0 };
for (const line of cases) {
  const why = await check(eraser, line.replaceAll('¶', '\n'));
  if (why === null) tally.agreed++;
  else if (why === 'both reject') {
    tally.bothReject++;
    if ('verbose' in options) console.log(`rejected by both: ${line}`);
  } else {
    tally.failed++;
    console.log(`${line}\n    ${why}`);
  }
}
eraser.close();
console.log(JSON.stringify(tally));
process.exitCode = tally.failed > 0 ? 1 : 0;
