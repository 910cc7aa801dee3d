#!/usr/bin/env bash
# `fino pprof convert --to=cpuprofile` and `--to=firefox`: Chromium's DevTools and the Firefox profiler, by their own code, read
# the numbers that `fino pprof top` shows.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
(cd "$root" && tests/npm.sh @firefox-devtools/profiler-cli pprof-format)
cp "$programs/nbody.ts" 'pro gram.ts'
expect_status 0 "$fino" run --profile=a.pb --profile-interval=1ms 'pro gram.ts'
"$fino" pprof top --json --all a.pb >top.json
"$fino" pprof top --json --all --thread=main a.pb >main.json

"$fino" pprof convert --to=cpuprofile -o all.cpuprofile a.pb
"$fino" pprof convert --to=cpuprofile --thread=main -o main.cpuprofile a.pb
for name in all main; do timeout 60 node "$root/tests/fixtures/read_cpuprofile.mjs" $name.cpuprofile >$name.devtools.json; done
node -e '
  const read = (file) => JSON.parse(fs.readFileSync(file));
  const near = (a, b, what) => { if (!(Math.abs(a - b) <= 0.5 + b / 1e3)) throw new Error(`${what}: ${a} ms instead of ${b}`); };
  for (const [table, name] of [["top", "all"], ["main", "main"]]) {
    const ours = read(`${table}.json`), theirs = read(`${name}.devtools.json`), sums = new Map();
    near(theirs.total, ours.rows.reduce((sum, { flat }) => sum + flat, 0) / 1e6, `the total of ${name}`);
    for (const [key, { self }] of Object.entries(theirs.functions)) {
      const called = key.slice(0, key.lastIndexOf(" "));
      sums.set(called, (sums.get(called) ?? 0) + self);
    }
    for (const row of ours.rows.slice(0, 30)) near(sums.get(row.name.split(" /")[0]) ?? 0, row.flat / 1e6, row.name);
    if (("main :0" in theirs.functions) !== (name === "all")) throw new Error(`threads of ${name}`);
  }
  // Functions are where they are in the source, and so are their lines.
  const raw = read("main.cpuprofile"), advance = raw.nodes.filter(({ callFrame }) => callFrame.functionName === "advance");
  const source = fs.readFileSync("pro gram.ts", "utf8").split("\n");
  const { url, lineNumber } = advance[0].callFrame;
  if (fs.readFileSync(new URL(url), "utf8") !== source.join("\n")) throw new Error(url);
  if (!/\badvance\b/.test(source[lineNumber])) throw new Error(`advance at ${lineNumber}`);
  for (const { hitCount, positionTicks } of raw.nodes) {
    if (hitCount !== 0 && positionTicks.reduce((sum, { ticks }) => sum + ticks, 0) > hitCount) throw new Error("ticks");
  }
  if (!advance.some(({ positionTicks }) => positionTicks.length > 1)) throw new Error("lines");
  if (raw.timeDeltas.reduce((a, b) => a + b) !== raw.endTime - raw.startTime) throw new Error("timeDeltas");
'

"$fino" pprof convert --to=firefox -o firefox.json a.pb
export PROFILER_CLI_SESSION_DIR=$work/sessions
mkdir sessions
profiler() { timeout 60 node "$root/build/npm/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"; }
trap 'profiler stop --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
for try in 1 2 3 4 5 6 7 8 9 10; do # it gives its own daemon half a second to start, which a busy machine may not
  ! profiler load firefox.json >/dev/null 2>load.err || break
  [ $try != 10 ] && grep -q 'did not become ready' load.err || { cat load.err >&2; fail 'the Firefox profiler does not load it'; }
done
profiler thread functions --json >functions.json
profiler stop --all >/dev/null
node -e '
  const read = (file) => JSON.parse(fs.readFileSync(file));
  const ours = read("main.json"), theirs = read("functions.json"), raw = read("firefox.json");
  if (theirs.weightType !== "tracing-ms" || theirs.friendlyThreadName !== "main") throw new Error(JSON.stringify(theirs).slice(0, 500));
  if (theirs.functions.length < 10) throw new Error("few functions");
  const sums = new Map(ours.rows.map(({ name, flat, cum }) => [name, { flat, cum }]));
  for (const { name, selfSamples, totalSamples } of theirs.functions.slice(0, 20)) {
    const { flat, cum } = sums.get(name) ?? { flat: NaN };
    if (!(Math.abs(selfSamples - flat / 1e6) < 1e-3 && Math.abs(totalSamples - cum / 1e6) < 1e-3)) throw new Error(`${name}: ${selfSamples}, ${totalSamples}, not ${flat / 1e6}, ${cum / 1e6}`);
  }
  const length = (table) => { for (const [name, column] of Object.entries(table)) if (Array.isArray(column) && column.length !== table.length) throw new Error(name); };
  for (const name of ["funcTable", "frameTable", "stackTable", "sources", "resourceTable", "nativeSymbols"]) length(raw.shared[name]);
  const total = raw.threads.flatMap(({ samples }) => (length({ ...samples, weightType: undefined }), samples.weight)).reduce((a, b) => a + b);
  if (Math.abs(total - read("top.json").total / 1e6) > 1e-3) throw new Error(`total ${total}`);
  if (!raw.shared.frameTable.inlineDepth.some((depth) => depth > 0)) throw new Error("nothing is inlined");
  if (raw.shared.stackTable.prefix.some((prefix, i) => prefix !== null && prefix >= i)) throw new Error("prefix");
'

# Hostile names are text, in JSON and as URLs; what a format can't say is an error.
node "$root/tests/flame/make.mjs" small small.pb
for format in cpuprofile firefox speedscope json; do
  "$fino" pprof convert --to=$format small.pb | node -e 'JSON.parse(fs.readFileSync(0)); '
done
"$fino" pprof convert --to=html small.pb >convert.html
"$fino" pprof flame -o flame.html small.pb
expect_same convert.html flame.html
expect_status 1 "$fino" pprof convert --to=cpuprofile --base=small.pb small.pb
expect_text err 'became less'
expect_status 0 "$fino" pprof convert --to=firefox --base=small.pb small.pb
expect_status 2 "$fino" pprof convert --to=nothing small.pb
expect_text err 'only collapsed, speedscope, cpuprofile, firefox, html, json'
