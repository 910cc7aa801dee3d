// bench_pprof.mjs: the workload of bench_pprof.c through npm's pprof-format and Node's zlib.
//   node bench_pprof.mjs FILE LEVEL PPROF_FORMAT_DIR [OUT]
// "aggregated" counts equal stacks in a Map first, as a profiler would; "raw" encodes each sample as it is.
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { join, resolve } from 'node:path';

const [file, level, directory, out] = process.argv.slice(2);
const { Profile, StringTable, ValueType, Sample, Location, Line, Function: PprofFunction, Mapping, Label } =
  await import(join(resolve(directory), 'dist/esm/index.js'));

const STACK_COUNT = 100_000, DEPTH = 40, SAMPLE_COUNT = 1_000_000, FUNCTION_COUNT = 8000;
const bytes = readFileSync(file);
const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const stackOf = (i) => {
  const begin = words[STACK_COUNT * DEPTH + i] * DEPTH;
  return words.subarray(begin, begin + DEPTH);
};

function profileOf(samples, strings) {
  const file = strings.dedup('/usr/bin/program'), build = strings.dedup('0123456789abcdef');
  const functions = [], locations = [];
  for (let i = 0; i < FUNCTION_COUNT; i++) {
    const module = Math.floor(i / 40);
    const name = strings.dedup(`module${module}.function${i}`);
    const filename = strings.dedup(`/home/user/project/src/module${module}.ts`);
    functions.push(new PprofFunction({ id: i + 1, name, systemName: name, filename, startLine: (i % 40) * 25 + 1 }));
    const line = [new Line({ functionId: i + 1, line: (i % 40) * 25 + 7 })];
    locations.push(new Location({ id: i + 1, mappingId: 1, address: 0x400000 + i * 64, line }));
  }
  const type = (name, unit) => new ValueType({ type: strings.dedup(name), unit: strings.dedup(unit) });
  return new Profile({
    sampleType: [type('samples', 'count'), type('cpu', 'nanoseconds')],
    sample: samples,
    mapping: [new Mapping({ id: 1, memoryStart: 0x400000, memoryLimit: 0x800000, filename: file, buildId: build })],
    location: locations,
    function: functions,
    stringTable: strings,
    periodType: type('cpu', 'nanoseconds'),
    period: 1000000,
  });
}

function sampleOf(stack, value, label) {
  return new Sample({ locationId: Array.from(stack, (id) => id + 1), value, label: [label] });
}

// A nested Map per frame from the root, as pprof-nodejs' own tree: no string is made per sample.
function addAggregated(label) {
  const root = new Map(), sums = [];
  for (let i = 0; i < SAMPLE_COUNT; i++) {
    const stack = stackOf(i);
    let node = root;
    for (let at = DEPTH - 1; at >= 0; at--) {
      let next = node.get(stack[at]);
      if (next === undefined) node.set(stack[at], (next = new Map()));
      node = next;
    }
    if (node.sample === undefined) sums.push((node.sample = { stack, value: [0, 0] }));
    node.sample.value[0] += 1;
    node.sample.value[1] += 1000000 + (i % 1000);
  }
  return sums.map(({ stack, value }) => sampleOf(stack, value, label));
}

function addRaw(label) {
  const samples = [];
  for (let i = 0; i < SAMPLE_COUNT; i++) samples.push(sampleOf(stackOf(i), [1, 1000000 + (i % 1000)], label));
  return samples;
}

function measure(who, add) {
  const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  const started = cpuMs();
  const strings = new StringTable();
  const label = new Label({ key: strings.dedup('thread'), str: strings.dedup('main') });
  const samples = add(label);
  const added = cpuMs();
  const plain = profileOf(samples, strings).encode();
  const encoded = cpuMs();
  const data = gzipSync(plain, { level: Number(level) });
  const compressed = cpuMs();
  const ms = (value) => Number(value.toFixed(1));
  console.log(JSON.stringify({
    who, add_ms: ms(added - started), encode_ms: ms(encoded - added), gzip_ms: ms(compressed - encoded),
    total_ms: ms(compressed - started), stacks: samples.length, plain_bytes: plain.length, gzip_bytes: data.length,
    peak_bytes: process.resourceUsage().maxRSS * 1024,
  }));
  return data;
}

const data = measure('pprof-format, aggregated', addAggregated);
if (out) writeFileSync(out, data);
if (process.env.RAW) measure('pprof-format, raw', addRaw);
