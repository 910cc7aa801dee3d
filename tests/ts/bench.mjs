// bench.mjs: how many bytes a second the eraser and others read, on lib.dom.d.ts and on sources of all the corpus's packages,
// in rounds that take turns; prints medians, and what they are of fino's time.
//
//   node bench.mjs BENCH_TYPESCRIPT
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { corpus } from './corpus.mjs';

const ROUNDS = 5, MIXED_NBYTES = 4e6;
const program = path.resolve(process.argv[2]), root = path.resolve(import.meta.dirname, '../../build/npm');
const require = createRequire(path.join(root, 'anything.js'));
process.env.ESBUILD_BINARY_PATH = path.join(root, '@esbuild/linux-x64/bin/esbuild');
const ts = require('./typescript-5.8'), esbuild = require('./esbuild'), amaro = require('./amaro');

const others = {
  esbuild: (source) => esbuild.transform(source, { loader: 'ts', format: 'esm' }),
  amaro: (source) => amaro.transformSync(source, { mode: 'strip-only' }),
  typescript: (source) => ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, isolatedModules: true } }),
};

// Some of the corpus's files that are not declarations, and that fino does not refuse.
function mixed() {
  const all = corpus(root).filter(({ file }) => /\.[cm]?ts$/.test(file) && !/\.d\.[cm]?ts$/.test(file));
  const output = execFileSync(program, ['1', ...all.map(({ file }) => file)], { encoding: 'utf8', maxBuffer: 1e8 });
  const refused = new Set([...output.matchAll(/^refused (.*)$/gm)].map((match) => match[1]));
  const chosen = [];
  let nbytes = 0;
  for (const { file, nbytes: more } of all) {
    if (nbytes >= MIXED_NBYTES) break;
    if (refused.has(file)) continue;
    chosen.push(file);
    nbytes += more;
  }
  return chosen;
}

// CPU seconds; esbuild works in a process of its own, which stays, so for it what passes is all there is.
async function secondsOf(name, sources) {
  const used = process.cpuUsage(), began = performance.now();
  for (const source of sources) {
    try {
      await others[name](source);
    } catch {} // amaro has read what it refuses to strip
  }
  const { user, system } = process.cpuUsage(used);
  return name === 'esbuild' ? (performance.now() - began) / 1e3 : (user + system) / 1e6;
}

async function compare(title, files) {
  const sources = files.map((file) => fs.readFileSync(file, 'utf8'));
  const nbytes = sources.reduce((sum, source) => sum + Buffer.byteLength(source), 0);
  const speeds = { fino: [] };
  for (let round = 0; round < ROUNDS; round++) {
    speeds.fino.push(parseFloat(execFileSync(program, ['3', ...files], { encoding: 'utf8' })));
    for (const name of Object.keys(others)) (speeds[name] ??= []).push(nbytes / 1e6 / (await secondsOf(name, sources)));
  }
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
  console.log(`${title}: ${files.length} files, ${(nbytes / 1e6).toFixed(1)} MB, median of ${ROUNDS} rounds`);
  for (const [name, list] of Object.entries(speeds)) {
    console.log(`  ${name.padEnd(12)}${median(list).toFixed(1).padStart(8)} MB/s ${(median(speeds.fino) / median(list)).toFixed(1).padStart(7)} times fino's time`);
  }
}

await compare('lib.dom.d.ts', [path.join(root, 'typescript-5.8/lib/lib.dom.d.ts')]);
await compare('mixed sources', mixed());
