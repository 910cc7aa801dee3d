#!/usr/bin/env bash
# Recordings that nest, overlap and run beside --profile: each holds what ran between its start and its stop, all of it
# and nothing else, and pprof reads each.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >script.mjs <<'SCRIPT'
import { startProfiling, stopProfiling } from 'fino:profiler';
import process, { threadCpuUsage } from 'fino:process';

let sink = 0;
const burn = (ms) => {
  for (const end = threadCpuUsage().user + ms * 1e3; threadCpuUsage().user < end;) for (let i = 0; i < 1e4; i++) sink += i;
};
function alpha() { burn(120); }
function beta() { burn(120); }
function gamma() { burn(120); }

const starts = {};
const start = (name) => { startProfiling(name, { interval: '500us' }); starts[name] = threadCpuUsage().user; };
const stop = (name) => {
  const cpu = threadCpuUsage().user - starts[name];
  const text = Array.from(stopProfiling(name), (byte) => byte.toString(16).padStart(2, '0')).join('');
  console.log(`${name} ${Math.round(cpu * 1e3)} ${text}`);
};
start('whole');
start('nested'); alpha(); stop('nested');
start('left'); alpha();
start('right'); beta();
stop('left'); gamma();
stop('right');
stop('whole');
start('none'); stop('none');
SCRIPT
cat >check.mjs <<SCRIPT
import { readFileSync, writeFileSync } from 'node:fs';
import { decode } from '$root/tests/profile_tool.mjs';
SCRIPT
cat >>check.mjs <<'SCRIPT'
const expected = { nested: 'alpha', left: 'alpha beta', right: 'beta gamma', whole: 'alpha beta gamma', none: '' };
for (const line of readFileSync('out', 'utf8').trim().split('\n')) {
  const [name, measured, hex] = line.split(' ');
  const bytes = Buffer.from(hex, 'hex');
  writeFileSync(`${name}.pb`, bytes);
  const { samples, comments } = decode(bytes);
  const main = samples.filter((sample) => sample.labels.thread === 'main');
  const cpu = main.reduce((sum, sample) => sum + Number(sample.values[1]), 0);
  const found = ['alpha', 'beta', 'gamma'].filter((f) => main.some((sample) =>
    sample.locations.some(({ lines }) => lines.some((line) => line.function.name === f))));
  const off = cpu - measured;
  console.log(`${name}: ${found}; ${(cpu / 1e6).toFixed(1)} ms, ${(measured / 1e6).toFixed(1)} ms measured`);
  if (found.join(' ') !== expected[name]) throw new Error(`${name}: ${found} instead of ${expected[name]}`);
  if (Math.abs(off) > measured * 0.02 + 12e6) throw new Error(`${name}: off by ${off} ns`);
  if (!comments.includes(`recording: ${name}`)) throw new Error(`${name}: ${comments}`);
}
SCRIPT
for profile in '' --profile=all.pb; do
  # shellcheck disable=SC2086 # an empty word is none
  expect_status 0 "$fino" run $profile script.mjs
  node check.mjs
done
for name in nested whole none all; do expect_valid_profile $name.pb; done
tool json all.pb >all.json
if grep -q 'recording:' all.json; then fail "all.pb has the name of a recording"; fi
