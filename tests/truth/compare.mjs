#!/usr/bin/env node
// compare.mjs PROFILE TOLERANCE NAME=PERCENT...: the self CPU shares of these functions among each other, as measured and as
// they should be. PROFILE is a pprof file, or Node's .cpuprofile. Exit code 1 if one is off by more than TOLERANCE points.
import { readFileSync } from 'node:fs';
import { cpuOf, decode, frames } from '../profile_tool.mjs';

const [path, tolerance, ...pairs] = process.argv.slice(2);
const plain = (name) => name.replace(/^[gs]et /, ''); // of an accessor
const truth = new Map(pairs.map((pair) => [pair.split('=')[0], Number(pair.split('=')[1])]));

function selfOfPprof() { // innermost JavaScript function of ours -> CPU
  const self = new Map(), profile = decode(readFileSync(path)), cpu = cpuOf(profile);
  for (const sample of profile.samples) {
    const name = frames(sample).map((frame) => plain(frame.name)).find((n) => truth.has(n));
    if (name) self.set(name, (self.get(name) ?? 0) + cpu(sample));
  }
  return self;
}

function selfOfCpuprofile() { // hits of these functions and what they call
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8'));
  const parent = new Map(), byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) for (const child of node.children ?? []) parent.set(child, node.id);
  const self = new Map();
  samples.forEach((id, i) => {
    for (let at = id; at !== undefined; at = parent.get(at)) {
      const name = plain(byId.get(at).callFrame.functionName);
      if (!truth.has(name)) continue;
      self.set(name, (self.get(name) ?? 0) + timeDeltas[i]);
      break;
    }
  });
  return self;
}

const self = path.endsWith('.cpuprofile') ? selfOfCpuprofile() : selfOfPprof();
const total = [...self.values()].reduce((sum, value) => sum + value, 0);
let worst = 0;
const shown = [...truth].map(([name, percent]) => {
  const measured = total > 0 ? 100 * (self.get(name) ?? 0) / total : 0;
  worst = Math.max(worst, Math.abs(measured - percent));
  return `${name} ${measured.toFixed(1)} (${percent})`;
});
console.log(`${shown.join(', ')}: off by ${worst.toFixed(1)}`);
process.exit(worst <= Number(tolerance) ? 0 : 1);
