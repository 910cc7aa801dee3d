#!/usr/bin/env bash
# Interpreted code is charged to the line it runs, not to that of the last call: the frame's slot tells only the latter.
# (In the interpreter the one call of line 4 takes about as long as the arithmetic of line 5.)
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >lines.mjs <<'EOF2'
function burn(n) {
  let s = 0, t = 0;
  for (let i = 0; i < n; i++) {
    s = Math.sqrt(s);
    t = (t * 31 + i) % 1000003; t = (t * 31 + i) % 1000003; t = (t * 31 + i) % 1000003; t = (t * 31 + i) % 1000003;
    t = t + s;
  }
  return t;
}
burn(1e6);
EOF2
expect_status 0 "$fino" run --v8-flags='--no-opt --no-sparkplug' --profile=lines.pb --profile-interval=200us lines.mjs
expect_valid_profile lines.pb
cat >lines.check.mjs <<EOF2
import { readFileSync } from 'node:fs';
import { cpuOf, decode, frames } from '$root/tests/profile_tool.mjs';
const profile = decode(readFileSync('lines.pb')), cpu = cpuOf(profile), byLine = new Map();
let all = 0;
for (const sample of profile.samples) {
  const frame = frames(sample).find(({ name }) => name === 'burn');
  if (!frame || frames(sample).some(({ name }) => name === 'MathSqrt')) continue;
  byLine.set(frame.line, (byLine.get(frame.line) ?? 0) + cpu(sample));
  all += cpu(sample);
}
const share = (line) => 100 * (byLine.get(line) ?? 0) / all;
console.log([3, 4, 5, 6].map((line) => \`line \${line}: \${share(line).toFixed(1)} %\`).join(', '));
process.exitCode = share(3) > 1 && share(4) < 65 && share(5) > 25 && share(6) > 1 ? 0 : 1;
EOF2
node lines.check.mjs || fail "the lines are wrong"
