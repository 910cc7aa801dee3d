// differential.mjs: compares fino's eraser with typescript's transpileModule and with amaro over the corpus: see README.md.
//
//   node differential.mjs --eraser=PROGRAM [--part=N] [--seconds=N] [--jobs=N] [--verbose] [PACKAGE or FILE...]
//
// PROGRAM is ts_erase_cli. --part=N: every Nth file. --seconds=N: begin no file after N seconds. Exit status 0: no
// unexplained difference.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { checkPositions, compareTrees, dropExportsOfNothing, functionNames, isInPlace, unifyJsx } from './compare.mjs';
import { corpus } from './corpus.mjs';
import { Eraser } from './eraser.mjs';
import { explain } from './explained.mjs';

const root = path.resolve(import.meta.dirname, '../../build/npm');

// ---- One file

// They leave `using` as it is, which acorn does not read.
const usingReason = 'using declarations, which they leave and fino lowers: tests/e2e/test-ts-programs.sh runs those';
const lowersUsing = (code) => /\bconst _use\w*=_used/.test(code);

// Returns { verdict, why }: 'agrees', 'both reject', 'explained' or 'differs'.
async function againstTypeScript(oracle, erase, file, source, bytes) {
  const expected = oracle.transpile(source, file);
  const needsCommonJs = /\bexport\s*=|\bimport\s+(type\s+)?[\w$]+\s*=/.test(source);
  const letters = `-${/x$/.test(file) ? 'x' : ''}${needsCommonJs ? 'c' : ''}`;
  let actual = await erase(bytes, letters);
  if (/legacy/.test(actual.error)) actual = await erase(bytes, `${letters}l`); // what the package's tsconfig.json would say
  const differs = (why) => {
    if (expected.errors.length > 0) return { verdict: 'both reject', why: `${expected.errors[0]} / ${why}` };
    const reason = explain(why);
    return reason ? { verdict: 'explained', why: reason } : { verdict: 'differs', why };
  };
  if (actual.error) return differs(`rejected: ${actual.error}`);
  let ours, theirs;
  try {
    ours = oracle.parse(actual.code);
  } catch (error) {
    return differs(`our output does not parse: ${error.message}`);
  }
  if (lowersUsing(actual.code)) return { verdict: 'explained', why: usingReason };
  const moved = checkPositions(ours, source);
  if (moved.length > 0) return differs(`moved: ${moved[0]}`);
  const names = functionNames(ours);
  const lost = expected.names.find((name) => !isInPlace(name, names, source));
  if (lost) return differs(`not where it was: ${lost}`);
  try {
    theirs = oracle.parse(expected.code);
  } catch (error) {
    return differs(`typescript's output does not parse: ${error.message}`);
  }
  const difference = compareTrees(unifyJsx(ours), unifyJsx(theirs));
  if (difference) return differs(difference);
  return { verdict: 'agrees', functions: expected.names.length };
}

// amaro's strip-only keeps unused imports, so the eraser is told to do so too. Its blanks are as many bytes wide as what they
// replace, ours as many columns: both are made one blank a column.
const blanks = (code) => code.replace(/[\t\u00a0\u2002\ufeff]/g, ' ');

async function againstAmaro(oracle, erase, file, source, bytes) {
  if (/x$/.test(file)) return { verdict: 'refused' };
  const expected = oracle.strip(source);
  if (expected.refused) return { verdict: 'refused', why: expected.refused };
  const actual = await erase(bytes, 'vc');
  if (actual.error) return differsFromAmaro(`rejected: ${actual.error}`);
  const ours = blanks(actual.code), theirs = blanks(expected.code);
  if (ours === theirs) return { verdict: 'same bytes' };
  let left, right;
  try {
    left = oracle.parse(actual.code);
    if (lowersUsing(actual.code)) return { verdict: 'explained', why: usingReason };
    right = oracle.parse(expected.code);
  } catch (error) {
    return differsFromAmaro(`does not parse: ${error.message}; ${where(ours, theirs, source)}`);
  }
  let difference = compareTrees(left, right);
  if (!difference) return { verdict: 'same program', why: where(ours, theirs, source) };
  if (dropExportsOfNothing(left) + dropExportsOfNothing(right) > 0) difference = compareTrees(left, right);
  if (!difference) return { verdict: 'explained', why: "amaro keeps the export of a type that is not marked as one: its output can't load" };
  return differsFromAmaro(`${difference}; ${where(ours, theirs, source)}`);
}

function differsFromAmaro(why) {
  const reason = explain(why);
  return reason ? { verdict: 'explained', why: reason } : { verdict: 'differs', why };
}

function where(ours, theirs, source) {
  let i = 0;
  while (i < ours.length && ours[i] === theirs[i]) i++;
  const show = (text) => JSON.stringify(text.slice(Math.max(0, i - 20), i + 20));
  return `${show(source)} -> ours ${show(ours)}, theirs ${show(theirs)}`;
}

async function work() {
  const oracle = await import('./oracle.mjs');
  const eraser = new Eraser(workerData.eraser);
  const erase = (bytes, letters) => eraser.erase(bytes, letters);
  for await (const file of messages()) {
    const bytes = fs.readFileSync(file);
    const source = bytes.toString();
    const report = { file, nbytes: bytes.length };
    try {
      report.typescript = await againstTypeScript(oracle, erase, file, source, bytes);
      report.amaro = await againstAmaro(oracle, erase, file, source, bytes);
    } catch (error) {
      report.typescript = { verdict: 'differs', why: `broken: ${error.stack}` };
    }
    parentPort.postMessage(report);
  }
  eraser.close();
}

async function* messages() {
  const waiting = [];
  let wake;
  parentPort.on('message', (file) => {
    waiting.push(file);
    wake?.();
  });
  parentPort.postMessage(null);
  for (;;) {
    while (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
    const file = waiting.shift();
    if (file === null) return parentPort.close();
    yield file;
  }
}

// ---- All files

function readOptions() {
  const options = { jobs: os.availableParallelism(), part: 1, seconds: Infinity, paths: [] };
  for (const argument of process.argv.slice(2)) {
    const match = /^--([a-z]+)(?:=(.*))?$/.exec(argument);
    if (match) options[match[1]] = match[2] ?? true;
    else options.paths.push(argument);
  }
  return options;
}

function chooseFiles(options) {
  const files = options.paths.filter((p) => /\.[cm]?tsx?$/.test(p)), packages = options.paths.filter((p) => !files.includes(p));
  if (files.length > 0) return files.map((file) => ({ file: path.resolve(file), nbytes: fs.statSync(file).size }));
  const all = corpus(root, packages);
  return all.filter((_, i) => i % Number(options.part) === 0);
}

class Tally {
  verdicts = {};
  reasons = {};
  differences = [];
  add(name, file, { verdict, why }) {
    this.verdicts[verdict] = (this.verdicts[verdict] ?? 0) + 1;
    if (verdict === 'explained') (this.reasons[why] ??= []).push(file);
    if (verdict === 'differs') this.differences.push(`${path.relative(root, file)}: ${name}: ${why}`);
  }
}

async function main() {
  const options = readOptions(), files = chooseFiles(options), tallies = { typescript: new Tally(), amaro: new Tally() };
  const began = performance.now();
  let next = 0, nbytes = 0, functions = 0, tried = 0;
  const notes = [];
  const runWorker = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { eraser: path.resolve(options.eraser) } });
      worker.on('message', (report) => {
        if (report) {
          tried++;
          nbytes += report.nbytes;
          functions += report.typescript.functions ?? 0;
          for (const name of Object.keys(tallies)) if (report[name]) tallies[name].add(name, report.file, report[name]);
          if (options.verbose) for (const name of Object.keys(tallies)) if (report[name]?.why) notes.push(`${path.relative(root, report.file)}: ${name}: ${report[name].verdict}: ${report[name].why}`);
        }
        const late = performance.now() - began > options.seconds * 1000;
        worker.postMessage(next < files.length && !late ? files[next++].file : null);
      });
      worker.on('error', reject);
      worker.on('exit', resolve);
    });
  await Promise.all(Array.from({ length: Number(options.jobs) }, runWorker));
  const bad = Object.values(tallies).flatMap((tally) => tally.differences);
  for (const note of notes) console.log(note);
  for (const line of bad.slice(0, options.verbose ? Infinity : 40)) console.log(line);
  console.log(`${tried} of ${files.length} files, ${nbytes} bytes, ${functions} functions and classes at their places, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  for (const [name, tally] of Object.entries(tallies)) {
    console.log(`${name}: ${Object.entries(tally.verdicts).map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`);
    for (const [why, list] of Object.entries(tally.reasons)) console.log(`    ${list.length} ${why}`);
  }
  process.exitCode = bad.length > 0 || tried === 0 ? 1 : 0;
}

await (isMainThread ? main() : work());
