// differential.mjs: compares fino's eraser with TypeScript's own transpileModule over a corpus of real files.
//
//   node differential.mjs --eraser=PROGRAM --modules=NODE_MODULES [--short] [--verbose] [PATH...]
//
// PROGRAM is ts_erase_cli. Both outputs are parsed, and their trees compared: formatting, quotes, comments, parentheses
// and empty statements do not count. Every function's and class's name must stand where it stands in the source.
// Exit status 0: no unexplained difference.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { Eraser } from './eraser.mjs';
import { compareTrees, checkPositions } from './compare.mjs';

const options = { paths: [] };
for (const argument of process.argv.slice(2)) {
  const match = /^--([a-z]+)(?:=(.*))?$/.exec(argument);
  if (match) options[match[1]] = match[2] ?? true;
  else options.paths.push(argument);
}
const modules = path.resolve(options.modules);
const require = createRequire(path.join(modules, 'anything.js'));
const ts = require('typescript');
const acorn = require('acorn');

function* walk(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const full = path.join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(full);
    else if (/\.[cm]?tsx?$/.test(entry.name)) yield full;
  }
}

function transpile(source, file) {
  const result = ts.transpileModule(source, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      isolatedModules: true,
      removeComments: true,
      alwaysStrict: false,
      jsx: ts.JsxEmit.React,
      experimentalDecorators: !!options.decorators,
    },
  });
  return { code: result.outputText, errors: result.diagnostics.filter((d) => d.category === ts.DiagnosticCategory.Error) };
}

// A declaration file may export what it only declares; that is an error at run time, and not one of the eraser's.
const Parser = acorn.Parser.extend((Base) => class extends Base { checkLocalExport() {} });
const parse = (code) =>
  Parser.parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, locations: true, allowReturnOutsideFunction: true });

// The oracle drops `export =` and `import = require()` from a module; fino says that they can't be there.
const explained = /needs a CommonJS module|decorators are not supported|JSX is not supported/;
const tally = { tried: 0, agreed: 0, bothReject: 0, explained: 0, differ: 0, moved: 0 };
const differences = [];

async function check(eraser, file) {
  const source = fs.readFileSync(file, 'utf8');
  tally.tried++;
  // transpileModule takes a declaration file for one without output: its text is what counts here.
  const expected = transpile(source, path.basename(file).replace(/\.d\.([cm]?ts)$/, '.$1'));
  const flags = /x$/.test(file) ? 'x' : '-';
  const actual = await eraser.erase(fs.readFileSync(file), flags);
  if (actual.error) {
    if (expected.errors.length > 0) return void tally.bothReject++;
    if (explained.test(actual.error)) return void tally.explained++;
    return void differences.push([file, `rejected: ${actual.error}`]);
  }
  let ours, theirs;
  try {
    ours = parse(actual.code);
  } catch (error) {
    if (expected.errors.length > 0) return void tally.bothReject++;
    return void differences.push([file, `our output does not parse: ${error.message}`]);
  }
  try {
    theirs = parse(expected.code);
  } catch (error) {
    return void differences.push([file, `the oracle's output does not parse: ${error.message}`]);
  }
  const difference = compareTrees(ours, theirs);
  const moved = checkPositions(ours, source);
  if (moved.length > 0) tally.moved += moved.length;
  if (difference) differences.push([file, difference]);
  else if (moved.length > 0) differences.push([file, `moved: ${moved[0]}`]);
  else tally.agreed++;
}

const eraser = new Eraser(path.resolve(options.eraser));
const roots = options.paths.length > 0 ? options.paths : [modules];
for (const root of roots) {
  const files = fs.statSync(root).isDirectory() ? walk(root) : [root];
  for (const file of files) await check(eraser, file);
}
eraser.close();
tally.differ = differences.length;
for (const [file, why] of differences.slice(0, options.verbose ? Infinity : 40)) console.log(`${file}: ${why}`);
console.log(JSON.stringify(tally));
process.exitCode = differences.length > 0 ? 1 : 0;
