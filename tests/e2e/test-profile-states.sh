#!/usr/bin/env bash
# What V8 is at is shown as the caller of the function that does it: compiling, parsing, learning inline caches and the
# main part of a collection on the program's thread, moving objects on V8's own threads.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >states.mjs <<'JS'
let sink = 0;
function compileRegexps() {
  for (let i = 0; i < 30000; i++) sink += new RegExp(`(a${i}|b|[c-f]+)*x{2,5}(?<q>z|y)`).test('abcxxz') ? 1 : 0;
}
function compileFunctions() {
  for (let i = 0; i < 6000; i++) sink += new Function(`const p = { x: ${i} }; p.y = p.x * 2; return p.y + ${i};`)();
}
function load(object) { return object.z; }
function store(object) { object.z = 1; }
function missCaches() { // so many shapes that no cache holds them
  const objects = Array.from({ length: 20000 }, (_, i) => ({ ['a' + i]: i, z: i }));
  for (let k = 0; k < 15; k++) for (const object of objects) sink += load(object) + store(object);
}
function allocate() {
  const keep = [];
  for (let i = 0; i < 6e6; i++) {
    const object = { i, s: [i] };
    if (i % 3 === 0) keep.push(object);
    if (keep.length > 3e5) keep.splice(0, 150000);
  }
}
compileRegexps();
compileFunctions();
missCaches();
allocate();
JS
expect_status 0 "$fino" run --profile --profile-interval=500us states.mjs
cat >check.mjs <<JS
import { readFileSync } from 'node:fs';
import { decode } from '$root/tests/profile_tool.mjs';
JS
cat >>check.mjs <<'JS'
const states = [
  ['v8::internal::RegExp::Compile(', '[compile] regexp'],
  ['v8::internal::RegExpImpl::CompileIrregexp(', '[compile] regexp'],
  ['v8::internal::Compiler::GetFunctionFromEval(', '[compile]'],
  ['v8::internal::parsing::ParseProgram(', '[parse]'],
  ['v8::internal::Runtime_LoadIC_Miss(', '[ic]'],
  ['v8::internal::Runtime_StoreIC_Miss(', '[ic]'],
  ['v8::internal::Heap::CollectGarbage(', '[gc]'],
  ['v8::internal::Heap::Scavenge(', '[gc] scavenge'],
  ['v8::internal::Heap::MarkCompact(', '[gc] mark-compact'],
];
const onWorkers = [ // short work, which the profile need not have met
  ['v8::internal::PageEvacuationJob::Run(', '[gc] mark-compact'],
  ['v8::internal::PointersUpdatingJob::Run(', '[gc] mark-compact'],
  ['v8::internal::ScavengerCollector::JobTask::Run(', '[gc] scavenge'],
  ['v8::internal::ConcurrentMarking::JobTask::Run(', '[gc] concurrent marking'],
  ['v8::internal::OptimizedCompilationJob::ExecuteJob(', '[compile] optimise'],
];
const stacks = decode(readFileSync('profile.pb')).samples.map(({ locations }) =>
  locations.flatMap(({ lines }) => lines.map((line) => line.function.name)));
for (const [prefix, state] of [...states, ...onWorkers]) {
  let count = 0;
  for (const stack of stacks) {
    const at = stack.findIndex((name) => name.startsWith(prefix));
    if (at < 0) continue;
    count++;
    if (stack[at + 1] !== state) throw new Error(`${stack[at]} is called by ${stack[at + 1]}`);
  }
  console.log(`${prefix}: ${count} stacks`);
  if (count === 0 && states.some((row) => row[0] === prefix)) throw new Error(`no sample in ${prefix}`);
}
JS
node check.mjs
