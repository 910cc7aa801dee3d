// run_cases.mjs: programs that are run: each line of run_cases.txt is a module that must print under fino what it prints
// under Node when typescript has compiled it.
//
//   node run_cases.mjs FINO FOLDER [PATTERN]     FOLDER: where the programs go. PATTERN: only groups whose name has it
//
// Prints each difference and how many programs were run. Exit status 0: there was none, and each program printed something.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';

const [fino, folder, pattern = ''] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, '../..');
const ts = createRequire(import.meta.url)(path.join(root, 'build/npm/typescript/lib/typescript.js'));

// What programs import: it says that it was loaded, or it was not. Node gets the second of each pair.
const EFFECT = 'p("loaded", import.meta.url.split("?")[1]); export const loaded = "value", Ns = { x: "ns.x" }, F = "F", h = (...a) => a;' +
  ' export class Klass { k = "klass" } export default "default";';
const HELPER = 'p("helper loaded"); exports.value = "helper";';
const main = (names) => `globalThis.p = (...a) => console.log(...a);
Symbol.dispose ??= Symbol.for("dispose"); Symbol.asyncDispose ??= Symbol.for("asyncDispose");
for (const name of ${JSON.stringify(names)}) {
  p("== " + name);
  try { await import("./" + name); } catch (e) { p("!! " + (e.stack ?? e)); }
}
`;

// Returns [{ name, extension, options, programs }].
function readGroups() {
  const groups = [];
  for (const line of fs.readFileSync(path.join(import.meta.dirname, 'run_cases.txt'), 'utf8').split('\n')) {
    const head = /^## (.*?)(?: (\.\w+))?(?: (\{.*\}))?$/.exec(line);
    if (head) groups.push({ name: head[1], extension: head[2] ?? '.ts', options: JSON.parse(head[3] ?? '{}'), programs: [] });
    else if (line && !line.startsWith('# ')) groups.at(-1).programs.push(line.replaceAll('¶', '\n'));
  }
  return groups.filter(({ name }) => name.includes(pattern));
}

function compile(source, fileName, given) {
  const { options } = ts.convertCompilerOptionsFromJson(given, '/');
  const isCommonJs = fileName.endsWith('.cts');
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022, // Node has neither decorators nor using
    useDefineForClassFields: true,
    ...options,
    module: isCommonJs ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext,
  };
  const { outputText } = ts.transpileModule(source, { fileName: fileName.replace('.cts', '.ts'), compilerOptions });
  return outputText.replace(/(["'])\.\/effect(\?\d+)?\1/g, '$1./effect.mjs$2$1').replace(/"(react\/jsx-runtime)"/g, '"../react/jsx-runtime.mjs"');
}

function write(directory, files) {
  fs.mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), text);
}

// Returns { NAME: what it printed }.
function run(program, args, place) {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1e8 });
  const outputs = stdout.split(/^== (.*)\n/m), entries = {};
  for (let i = 1; i < outputs.length; i += 2) entries[outputs[i]] = outputs[i + 1].replaceAll(place, '');
  if (status !== 0) console.log(`${program} ${args.join(' ')}: exit code ${status}\n${stderr}`);
  return entries;
}

function runGroup({ name, extension, options, programs }, index) {
  const ours = path.join(folder, 'fino', `${index}`), theirs = path.join(folder, 'node', `${index}`);
  const emitted = extension === '.cts' ? '.cjs' : '.mjs', names = programs.map((_, i) => `case${i + 1}`);
  const shared = { 'effect.mjs': EFFECT, 'helper.cjs': HELPER };
  const paths = { 'react/*': ['../../node/react/*.mjs'], './effect': ['./effect.mjs'] };
  write(ours, { ...shared, 'effect.ts': EFFECT, 'tsconfig.json': JSON.stringify({ compilerOptions: { paths, ...options } }), 'main.mjs': main(names.map((n) => n + extension)) });
  write(theirs, { ...shared, 'main.mjs': main(names.map((n) => n + emitted)) });
  programs.forEach((source, i) => {
    fs.writeFileSync(path.join(ours, names[i] + extension), source);
    fs.writeFileSync(path.join(theirs, names[i] + emitted), compile(source, `case${extension}`, options));
  });
  const got = run(fino, ['run', path.join(ours, 'main.mjs')], ours), want = run(process.execPath, [path.join(theirs, 'main.mjs')], theirs);
  let failed = 0;
  programs.forEach((source, i) => {
    const mine = got[names[i] + extension], other = want[names[i] + emitted];
    if (mine && mine === other && !mine.includes('!! ')) return;
    failed++;
    console.log(`${name}: ${source}\n  fino: ${mine}\n  Node: ${other}`);
  });
  return failed;
}

const groups = readGroups();
fs.cpSync(path.join(root, 'tests/fixtures/typescript/react'), path.join(folder, 'node/react'), { recursive: true });
const count = groups.reduce((sum, { programs }) => sum + programs.length, 0);
const distinct = new Set(groups.flatMap(({ name, programs }) => programs.map((source) => `${name} ${source}`))).size;
const failed = groups.reduce((sum, group, index) => sum + runGroup(group, index), 0);
console.log(`${count} programs in ${groups.length} groups, ${failed} differ`);
process.exitCode = failed > 0 || distinct < count || count === 0 ? 1 : 0;
