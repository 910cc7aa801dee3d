#!/usr/bin/env bash
# What JavaScript functions are called, and where they are: inferred names of arrows and methods, unnamed functions that stay
# apart, one Function for each function with the line it starts on, and native code between the functions that it calls and
# those that call it.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >names.mjs <<'EOF_PROGRAM'
import { threadCpuUsage } from 'fino:process';
function burn() {
  const { user, system } = threadCpuUsage(), until = user + system + 60000;
  for (let now = 0; now < until;) { let s = 0; for (let i = 0; i < 1000; i++) s += i; const t = threadCpuUsage(); now = t.user + t.system; }
  return 1;
}
const arrow = () => burn() + 1;
class Thing {
  method() { return burn() + 1; }
  #hidden() { return burn() + 1; }
  reveal() {
    return this.#hidden() + 1; }
  static make() { return burn() + 1; }
  get gotten() { return burn() + 1; }
}
const object = { property: function () { return burn() + 1; }, short() { return burn() + 1; } };
function callUnnamed() {
  (() => burn() + 1)();
  (() => burn() + 1)(); (() => burn() + 1)(); }
function callMap() { return [1].map(function mapped() { return burn() + 1; }); }
function callGetter() { return JSON.stringify({ get slow() { return burn() + 1; } }); }
function callSort() { return [2, 1].sort(function compare() { return burn() + 1; }); }
function callReplace() { return 'a'.replace(/a/, function replacer() { return burn() + 'b'; }); }
const thing = new Thing();
for (let round = 0; round < 2; round++) {
  arrow(); thing.method(); thing.reveal(); Thing.make(); thing.gotten; object.property(); object.short();
  callUnnamed(); callMap(); callGetter(); callSort(); callReplace();
}
EOF_PROGRAM
expect_status 0 "$fino" run --profile=p.pb --profile-interval=1ms names.mjs
cat >check.mjs <<EOF_CHECK
import { readFileSync } from 'node:fs';
import { decode, frames, isScript } from '$root/tests/profile_tool.mjs';
const profile = decode(readFileSync('p.pb')), problems = [];
const functions = [...profile.functions.values()].filter(isScript).filter(({ filename }) => filename.endsWith('names.mjs'));

// One Function each, with its first line.
const starts = { burn: 2, arrow: 7, method: 9, '#hidden': 10, reveal: 11, make: 13, 'get gotten': 14, property: 16, short: 16,
  callMap: 20, mapped: 20, callGetter: 21, 'get slow': 21, callSort: 22, compare: 22, callReplace: 23, replacer: 23 };
const short = (name) => name.replace(/^(Thing|object)\./, '');
for (const [name, line] of Object.entries(starts)) {
  const found = functions.filter((f) => short(f.name) === name || short(f.name) === name.replace('get ', ''));
  if (found.length !== 1 || found[0].startLine !== line) problems.push(name + ': ' + JSON.stringify(found));
}
const anonymous = functions.filter(({ name }) => name.startsWith('(anonymous)')).map(({ name, startLine }) => name + '|' + startLine);
if (new Set(anonymous).size !== 3 || anonymous.length !== 3) problems.push('unnamed functions: ' + anonymous);

// Who calls whom, through what, and on which line.
const chains = [
  ['mapped', 20, /ArrayMap/, 'callMap', 20], ['get slow', 21, /JsonStringify/, 'callGetter', 21],
  ['compare', 22, /ArrayPrototypeSort/, 'callSort', 22], ['replacer', 23, /Replace/, 'callReplace', 23],
  ['#hidden', 10, null, 'reveal', 12]];
for (const [callee, calleeLine, between, caller, callerLine] of chains) {
  let seen = 0;
  for (const stack of profile.samples.map(frames)) {
    const at = stack.findIndex(({ name }) => short(name) === callee || short(name) === callee.replace('get ', ''));
    if (at < 0) continue;
    seen++;
    const below = stack.findIndex((frame, i) => i > at && isScript(frame));
    const passed = stack.slice(at + 1, below);
    if (short(stack[below].name) !== caller || stack[at].line !== calleeLine || stack[below].line !== callerLine ||
        (between ? !passed.some(({ name }) => between.test(name)) : passed.length > 0))
      problems.push(stack.slice(0, below + 2).map(({ name, line }) => name + ':' + line).join(' < '));
  }
  if (seen === 0) problems.push(callee + ' was never seen');
}
for (const problem of new Set(problems)) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);
EOF_CHECK
node check.mjs || fail 'names, lines or callers are wrong'
