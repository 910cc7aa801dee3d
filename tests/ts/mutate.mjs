// mutate.mjs: what the eraser and typescript make of statements of the corpus after some of their tokens were dropped, doubled
// or swapped for others. Where typescript sees no syntax error and both make a program of it, it must be the same one: no
// statement that only declares types may be left. (transpileModule lets pass much that the checker would not, such as
// `private export`: there the eraser may say that it is an error, or leave that to V8.)
//
//   node mutate.mjs --eraser=PROGRAM [--count=N] [--seed=N]
//
// PROGRAM is ts_erase_cli; the same seed gives the same programs. Prints the first differences, each as short as dropping
// lines and tokens makes it. Exit status 0: there was none.
import fs from 'node:fs';
import path from 'node:path';
import { compareTrees } from './compare.mjs';
import { corpus } from './corpus.mjs';
import { Eraser } from './eraser.mjs';
import { parse, transpile, ts } from './oracle.mjs';

const options = Object.fromEntries(process.argv.slice(2).map((a) => /^--([a-z]+)=(.*)$/.exec(a).slice(1)));
const count = Number(options.count ?? 1000), MAX_STATEMENT = 600, MUTANTS = 20, SHOWN = 40;
let state = BigInt(options.seed ?? 1) * 0x9e3779b97f4a7c15n | 1n;

function random(below) {
  state ^= (state << 13n) & 0xffffffffffffffffn;
  state ^= state >> 7n;
  state ^= (state << 17n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(below));
}
const pick = (list) => list[random(list.length)];

// The tokens of SOURCE, each with the blanks and comments before it.
function tokensOf(source) {
  const scanner = ts.createScanner(ts.ScriptTarget.ESNext, false, ts.LanguageVariant.Standard, source);
  const tokens = [];
  let text = '';
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) {
    text += scanner.getTokenText();
    if (scanner.getToken() > ts.SyntaxKind.LastTriviaToken) {
      tokens.push(text);
      text = '';
    }
  }
  return tokens;
}

const EXTRA = ['<', '>', '(', ')', '{', '}', '[', ']', '=>', ':', '?', '?.', ',', ';', '\n', '!', '=', ' as ', ' satisfies ', ' async ', ' await ', '<T>', ' type ', ' interface ',
  ' declare ', ' abstract ', ' enum ', ' namespace ', ' readonly ', ' static ', ' get ', ' set ', ' is ', ' keyof ', ' infer ', ' extends ', ' in ', ' of ', ' const ', ' let ', ' new ',
  ' import ', ' export ', ' function ', ' class ', ' return ', ' private ', ' override ', ' unique ', ' accessor ', ' this', ' x', ' 1', '`', '/', '+', '-'];

function mutate(tokens) {
  const list = [...tokens];
  for (let n = 1 + random(3); n-- > 0; ) {
    const at = random(list.length + 1), kind = random(4);
    if (kind === 0) list.splice(at, 1 + random(2));
    else if (kind === 1) list.splice(at, 0, pick(tokens));
    else if (kind === 2) list.splice(at, 1, pick(tokens));
    else list.splice(at, random(2), pick(EXTRA));
  }
  return list;
}

// Returns how the two differ in SOURCE, 'invalid' if typescript says that it is wrong, 'stricter' if only fino or acorn
// does, or null.
async function difference(eraser, source) {
  const expected = transpile(source, 'mutant.ts');
  if (expected.errors.length > 0) return 'invalid';
  let theirs;
  try {
    theirs = parse(expected.code);
  } catch {
    return 'invalid'; // it lets pass what is no JavaScript
  }
  const actual = await eraser.erase(source, /\bexport\s*=|\bimport\s+(type\s+)?[\w$]+\s*=/.test(source) ? 'c' : '-');
  if (actual.error) return 'stricter';
  let ours;
  try {
    ours = parse(actual.code);
  } catch {
    return 'stricter';
  }
  return compareTrees(ours, theirs);
}

const differs = (why) => why !== null && why !== 'invalid' && why !== 'stricter';

// Drops tokens as long as what is left still differs.
async function shorten(eraser, tokens) {
  let list = tokens;
  for (let size = list.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at + size <= list.length; ) {
      const less = [...list.slice(0, at), ...list.slice(at + size)];
      const why = await difference(eraser, less.join(''));
      if (differs(why)) list = less;
      else at += size;
    }
  }
  return list.join('');
}

async function main() {
  const files = corpus(path.resolve(import.meta.dirname, '../../build/npm')).filter(({ file, nbytes }) => /\.[cm]?ts$/.test(file) && nbytes < 1e5);
  const eraser = new Eraser(path.resolve(options.eraser)), found = new Map();
  let tried = 0, valid = 0, stricter = 0;
  while (tried < count) {
    const source = fs.readFileSync(pick(files).file, 'utf8');
    const statements = ts.createSourceFile('a.ts', source, ts.ScriptTarget.ESNext).statements.filter((s) => s.end - s.pos < MAX_STATEMENT);
    if (statements.length === 0) continue;
    const tokens = tokensOf(source.slice(pick(statements).pos).slice(0, MAX_STATEMENT));
    for (let i = 0; i < MUTANTS && tried < count; i++, tried++) {
      const mutant = mutate(tokens), why = await difference(eraser, mutant.join(''));
      if (why === 'invalid') continue;
      valid++;
      if (why === 'stricter') stricter++;
      else if (differs(why) && found.size < SHOWN) found.set(await shorten(eraser, mutant), why);
    }
  }
  eraser.close();
  for (const [source, why] of found) console.log(`${JSON.stringify(source)}: ${why}`);
  console.log(`${tried} mutants, ${valid} of them valid, fino or V8 refuses ${stricter} of those, ${found.size} differ`);
  process.exitCode = found.size > 0 || valid === 0 ? 1 : 0;
}

await main();
