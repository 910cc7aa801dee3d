// bench.mjs: the eraser's speed beside that of others on the same files, in rounds that alternate; prints ratios.
//   node bench.mjs --bench=BENCH_TYPESCRIPT --modules=NODE_MODULES FILE...
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

const options = Object.fromEntries(process.argv.slice(2).filter((a) => a.startsWith('--')).map((a) => /^--([a-z]+)=?(.*)$/.exec(a).slice(1)));
const files = process.argv.slice(2).filter((a) => !a.startsWith('--'));
const require = createRequire(path.resolve(options.modules, 'anything.js'));
const ts = require('typescript'), esbuild = require('esbuild'), amaro = require('amaro');
const sources = files.map((file) => fs.readFileSync(file, 'utf8'));
const nbytes = sources.reduce((sum, source) => sum + Buffer.byteLength(source), 0);

const others = {
  esbuild: (source) => esbuild.transformSync(source, { loader: 'ts', format: 'esm' }),
  amaro: (source) => amaro.transformSync(source, { mode: 'strip-only' }),
  typescript: (source) => ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, isolatedModules: true } }),
};
const seconds = { fino: [] };
for (let round = 0; round < 3; round++) {
  const line = execFileSync(path.resolve(options.bench), ['3', ...files], { encoding: 'utf8' });
  seconds.fino.push(nbytes / 1e6 / parseFloat(line));
  for (const [name, run] of Object.entries(others)) {
    const start = process.cpuUsage();
    const wall = performance.now();
    for (const source of sources) {
      try {
        run(source);
      } catch {} // amaro refuses what it can't strip
    }
    const used = process.cpuUsage(start);
    // esbuild works in another process: wall time is what there is.
    (seconds[name] ??= []).push(name === 'esbuild' ? (performance.now() - wall) / 1e3 : (used.user + used.system) / 1e6);
  }
}
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
for (const name of Object.keys(seconds)) console.log(`${name}: ${(median(seconds[name]) / median(seconds.fino)).toFixed(1)} times fino's time`);
