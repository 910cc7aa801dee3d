#!/usr/bin/env bash
# While a function is deoptimised, V8's native code is shown on top of this function, and of its caller, at the line of the
# call: also once the function's frame has left the stack. (Here another function is deoptimised now and then, too.)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >deoptimised.mjs <<'EOF_PROGRAM'
function victim(o) { let s = 0; for (let i = 0; i < 10; i++) s += o.x * i; return s; }
function bystander(o) {
  return victim(o) + 1;
}
let t = 0;
for (let i = 0; i < 3e5; i++) t += bystander({ x: i & 7 });
EOF_PROGRAM
expect_status 0 "$fino" run --profile=p.pb --profile-interval=100us \
  --v8-flags='--deopt-every-n-times=100 --no-turbo-inlining' deoptimised.mjs
cat >check.mjs <<EOF_CHECK
import { readFileSync } from 'node:fs';
import { decode, frames } from '$root/tests/profile_tool.mjs';
const seen = { 'Deoptimizer::Deoptimizer(': 0, 'DoComputeOutputFrames': 0 };
let wrong = 0;
for (const sample of decode(readFileSync('p.pb')).samples) {
  const stack = frames(sample), at = stack.findIndex(({ name }) => name.startsWith('[builtin] DeoptimizationEntry_'));
  if (at <= 0) continue; // a leaf: V8 is about to move the frame, and the walk may end here
  for (const part of Object.keys(seen)) if (stack.slice(0, at).some(({ name }) => name.includes(part))) seen[part]++;
  const [function_, caller] = stack.slice(at + 1);
  const right = function_?.name === 'victim' ? caller?.name === 'bystander' && caller.line === 3
    : function_?.name === 'bystander' ? caller?.name === '(module) deoptimised.mjs' && caller.line === 6
    : function_?.name === '(module) deoptimised.mjs';
  if (!right) { wrong++; console.log(stack.map(({ name, line }) => name + ':' + line).join('\n  ')); }
}
console.log(seen, 'wrong:', wrong);
process.exit(wrong > 0 || Object.values(seen).includes(0) ? 1 : 0);
EOF_CHECK
node check.mjs || fail 'a deoptimised function is missing, or no deoptimisation was seen'
tool complete p.pb 99
