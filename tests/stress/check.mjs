#!/usr/bin/env node
// check.mjs PROFILE SCRIPT MAX_UNKNOWN: no frame of SCRIPT in PROFILE has a wrong name or line, and at most MAX_UNKNOWN % of
// the samples have a frame without one.
//
// How that can be told: in the programs of this folder a function is called on a line that has its name in it, or that
// says so in a comment: "calls get value, made_*". A name or a line that belongs to other code, or a caller that isn't
// one, shows as a line without the name. What is made by eval proves itself: made_7 calls leaf_7 and nothing else does.
import { readFileSync } from 'node:fs';
import { cpuOf, decode, frames } from '../profile_tool.mjs';

const [file, script, maxUnknown] = process.argv.slice(2);
const profile = decode(readFileSync(file));
const lines = readFileSync(script, 'utf8').split('\n');
const problems = new Map();
const report = (text, count) => problems.set(text, (problems.get(text) ?? 0) + count);
const isOurs = (frame) => script.endsWith(frame.filename.replace(/^.*\//, '')) && frame.filename !== '';
const isMade = (frame) => /^(made|leaf)_\d+$/.test(frame.name);
const lastPart = (name) => name.replace(/^.*\.(?=.)/, '');

function isCalledOn(line, name) {
  if (name.split('.').some((part) => line.includes(part.replace(/^(get|set|new) /, '')))) return true;
  const said = line.match(/\/[/*] calls (.*?)( \*\/.*)?$/)?.[1] ?? '';
  const matches = (pattern, text) => new RegExp(`^${pattern.replace(/[()]/g, '\\$&').replace(/\*/g, '.*')}$`).test(text);
  return said.split(/, /).some((pattern) => matches(pattern, name) || matches(pattern, lastPart(name)));
}

function checkCall(callee, caller, count) {
  const line = lines[caller.line - 1];
  if (caller.name === callee.name && caller.startLine === callee.startLine && /\(anonymous\)/.test(caller.name)) return;
  if (line === undefined) return report(`${caller.name} is at line ${caller.line}, which is not there`, count);
  if (!isCalledOn(line, callee.name)) {
    report(`${callee.name}:${callee.startLine} is called by ${caller.name} at line ${caller.line}: ${line.trim()}`, count);
  }
}

function checkMade(stack, at, count) {
  const [kind, number] = stack[at].name.split('_');
  const above = stack[at - 1], below = stack[at + 1];
  if (kind === 'made' && above && isMade(above) && above.name !== `leaf_${number}`) {
    report(`${stack[at].name} calls ${above.name}`, count);
  }
  if (kind === 'leaf' && below && below.name !== `made_${number}`) report(`leaf_${number} is called by ${below.name}`, count);
}

function checkDeclared(frame, count) { // where a function is said to begin, its name is
  const line = lines[frame.startLine - 1] ?? '', name = lastPart(frame.name).replace(/^(get|set) /, '');
  if (/^\(/.test(frame.name) || line.includes(name) || /=>/.test(line) || /\bclass\b/.test(line)) return;
  report(`${frame.name} is said to begin at line ${frame.startLine}: ${line.trim()}`, count);
}

let samples = 0, unknown = 0, checked = 0;
for (const sample of profile.samples) {
  const count = Number(sample.values[0]), all = frames(sample);
  samples += count;
  if (all.some((frame) => /^\[unknown/.test(frame.name))) unknown += count;
  const stack = all.filter((frame) => isOurs(frame) || isMade(frame) || /^\[unknown/.test(frame.name));
  stack.forEach((frame, i) => {
    if (/^\[unknown/.test(frame.name)) return;
    const below = stack[i + 1];
    if (isMade(frame)) checkMade(stack, i, count);
    else checkDeclared(frame, count);
    if (below && isOurs(below)) { checkCall(frame, below, count); checked += count; }
  });
}
const percent = (100 * unknown) / (samples || 1);
const stated = profile.comments.filter((comment) => /^(stacks|lost|v8 code|handler)/.test(comment));
console.log(`${samples} samples, ${(profile.samples.reduce((s, x) => s + cpuOf(profile)(x), 0) / 1e9).toFixed(1)} s CPU, ` +
  `${checked} calls checked, ${percent.toFixed(2)} % unknown`);
for (const comment of stated) console.log(`  ${comment}`);
if (percent > Number(maxUnknown)) report(`${percent.toFixed(2)} % of the samples have frames without a name`, unknown);
for (const [text, count] of [...problems].sort((a, b) => b[1] - a[1]).slice(0, 20)) console.error(`WRONG ${count} x ${text}`);
if (problems.size > 0) process.exitCode = 1;
