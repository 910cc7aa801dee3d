#!/usr/bin/env node
// Decodes a pprof profile, independently of fino's own code, and answers what tests ask of it.
//   profile_tool.mjs check FILE            every invariant of profile.proto that readers rely on; prints one summary line
//   profile_tool.mjs json FILE             totals by thread, roots, comments, as JSON
//   profile_tool.mjs thread FILE THREAD    the thread's CPU time in nanoseconds
//   profile_tool.mjs share FILE NAME...    self CPU share in % of each function, among these functions
//   profile_tool.mjs complete FILE MIN     at least MIN % of the samples have a stack that reaches its thread's start
//   profile_tool.mjs top FILE [N]          the N functions with the most self CPU in their innermost JavaScript frame
//   profile_tool.mjs compare FILE NODE.cpuprofile   Node's top ten by self time are in FILE, with their file and line
//   profile_tool.mjs stacks FILE           how walks ended, by reason, and which frames have no name, in samples: one line
//   profile_tool.mjs gc FILE MIN           at least MIN % of the CPU is the garbage collector's, above JavaScript or beside it
//   profile_tool.mjs cpu FILE NANOSECONDS [TOLERANCE_PERCENT [THREAD]]   the CPU total is what was measured
// Exit code 1, and why on stderr, if the answer is no.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

// ---- Protocol buffers: each message becomes { fieldNumber: [values] }

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  varint() { // a Number, or a BigInt where that would round
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (this.at >= this.bytes.length || shift > 63n) throw new Error('bad varint');
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const signed = BigInt.asIntN(64, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : value;
  }
  chunk() {
    const length = this.varint();
    if (this.at + length > this.bytes.length) throw new Error('field runs past its message');
    return this.bytes.subarray(this.at, this.at += length);
  }
  message() {
    const fields = {};
    while (this.at < this.bytes.length) {
      const key = this.varint();
      const wire = key & 7;
      if (wire !== 0 && wire !== 2) throw new Error(`wire type ${wire} is not used by profile.proto`);
      (fields[key >>> 3] ??= []).push(wire === 0 ? this.varint() : this.chunk());
    }
    return fields;
  }
}

const message = (bytes) => new Reader(bytes).message();
const one = (fields, number) => fields[number]?.at(-1) ?? 0;
const messages = (fields, number) => (fields[number] ?? []).map(message);
function numbers(fields, number) { // packed or not
  return (fields[number] ?? []).flatMap((value) => {
    if (!(value instanceof Uint8Array)) return [value];
    const reader = new Reader(value), all = [];
    while (reader.at < value.length) all.push(reader.varint());
    return all;
  });
}

// ---- The profile

export function decode(bytes) {
  const top = message(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
  const strings = (top[6] ?? []).map((chunk) => new TextDecoder('utf-8', { fatal: true }).decode(chunk));
  const text = (fields, number) => {
    const index = one(fields, number);
    if (!(index in strings)) throw new Error(`string ${index} does not exist`);
    return strings[index];
  };
  const byId = (items, what) => {
    const map = new Map();
    for (const item of items) {
      if (!item.id || map.has(item.id)) throw new Error(`${what} id ${item.id} is 0 or used twice`);
      map.set(item.id, item);
    }
    return map;
  };
  const get = (map, id, what) => map.get(id) ?? (() => { throw new Error(`${what} ${id} does not exist`); })();
  const valueType = (fields) => ({ type: text(fields, 1), unit: text(fields, 2) });

  const mappings = byId(messages(top, 3).map((m) => ({
    id: one(m, 1), start: one(m, 2), limit: one(m, 3), offset: one(m, 4), filename: text(m, 5), buildId: text(m, 6),
  })), 'mapping');
  const functions = byId(messages(top, 5).map((f) => ({
    id: one(f, 1), name: text(f, 2), systemName: text(f, 3), filename: text(f, 4), startLine: one(f, 5),
  })), 'function');
  const locations = byId(messages(top, 4).map((l) => ({
    id: one(l, 1), mapping: one(l, 2) ? get(mappings, one(l, 2), 'mapping') : null, address: one(l, 3),
    isFolded: one(l, 5),
    lines: messages(l, 4).map((line) => ({
      function: get(functions, one(line, 1), 'function'), line: one(line, 2), column: one(line, 3),
    })),
  })), 'location');
  const samples = messages(top, 2).map((s) => ({
    locations: numbers(s, 1).map((id) => get(locations, id, 'location')),
    values: numbers(s, 2),
    labels: Object.fromEntries(messages(s, 3).map((l) => [text(l, 1), l[2] ? text(l, 2) : one(l, 3)])),
  }));
  return {
    strings, mappings, functions, locations, samples,
    sampleTypes: messages(top, 1).map(valueType),
    periodType: top[11] ? valueType(message(top[11][0])) : null,
    period: one(top, 12), timeNanos: one(top, 9), durationNanos: one(top, 10),
    comments: numbers(top, 13).map((index) => strings[index]),
    defaultSampleType: text(top, 14),
  };
}

// A sample's frames from the leaf to the root, inlined ones apart: { name, filename, startLine, line }.
export function frames(sample) {
  return sample.locations.flatMap((location) =>
    location.lines.map(({ function: f, line }) => ({ ...f, line, address: location.address })));
}

const SOURCE = /\.(js|mjs|cjs|ts|mts|cts|tsx|jsx)$|^fino:/;
export const isScript = (frame) => SOURCE.test(frame.filename);
export const cpuOf = (profile) => {
  const index = profile.sampleTypes.findIndex(({ type }) => type === 'cpu');
  return (sample) => Number(sample.values[index]);
};
const sum = (items, value) => items.reduce((total, item) => total + value(item), 0);
const samplesOf = (profile) => (sample) => Number(sample.values[0]);

function groupBy(samples, key, value) { // [[key, total], ...], largest first
  const totals = new Map();
  for (const sample of samples) totals.set(key(sample), (totals.get(key(sample)) ?? 0) + value(sample));
  return [...totals].sort((a, b) => b[1] - a[1]);
}

// Where a thread starts: a walk that ends elsewhere did not reach it. The main thread starts in _start, others in
// clone3, which Debian's libc has no symbol for: one place in libc, the same for all of them.
const THREAD_START = /^(_start|(__)?clone3?)$/;
const NAMELESS = /^libc\.so\.6\+0x/;
const rootOf = (sample) => frames(sample).at(-1)?.name ?? '[no frame]';

export function selfByFunction(profile) { // by the innermost JavaScript frame: what Node's profiler calls self time
  const cpu = cpuOf(profile);
  const totals = new Map();
  for (const sample of profile.samples) {
    const frame = frames(sample).find(isScript);
    if (!frame) continue;
    const entry = totals.get(frame.id) ?? { ...frame, self: 0 };
    entry.self += cpu(sample);
    totals.set(frame.id, entry);
  }
  return [...totals.values()].sort((a, b) => b.self - a.self);
}

const said = new Set();
function fail(text) {
  if (!said.has(text)) console.error(text);
  said.add(text);
  process.exitCode = 1;
}

// ---- The questions

const percent = (part, whole) => (whole ? (100 * part) / whole : 0);
const base = (filename) => filename.replace(/^.*\//, '').replace(/\.[cm]?[jt]s$/, '');

const commands = {
  check(profile, file) {
    const { samples, strings, functions, locations, sampleTypes } = profile;
    const expect = (condition, text) => { if (!condition) fail(`${file}: ${text}`); };
    expect(readFileSync(file)[0] === 0x1f, 'is not gzipped');
    expect(strings[0] === '', 'string 0 is not empty');
    expect(new Set(strings).size === strings.length, 'a string occurs twice');
    expect(JSON.stringify(sampleTypes.map(({ type, unit }) => `${type}/${unit}`)) ===
      '["samples/count","cpu/nanoseconds"]', 'sample types are not samples/count, cpu/nanoseconds');
    expect(profile.periodType?.type === 'cpu' && profile.periodType.unit === 'nanoseconds', 'period type');
    expect(profile.period >= 1e5 && profile.period <= 1e8, `period ${profile.period}`);
    const age = Date.now() - Number(profile.timeNanos) / 1e6;
    expect(age > 0 && age < 864e5, `its time is ${age} ms ago`);
    expect(profile.durationNanos > 0, 'no duration');
    expect(profile.comments.length > 0, 'no comments');
    const usedFunctions = new Set(), usedLocations = new Set(), stacks = new Set();
    for (const sample of samples) {
      expect(sample.values.length === sampleTypes.length, 'a sample has not one value for each type');
      expect(sample.values.every((value) => value >= 0), 'a negative value');
      expect(typeof sample.labels.thread === 'string', 'a sample without the label "thread"');
      expect(sample.locations.length > 0, 'a sample without a stack');
      const key = `${sample.locations.map(({ id }) => id)} ${JSON.stringify(sample.labels)}`;
      expect(!stacks.has(key), 'two samples with the same stack and labels');
      stacks.add(key);
      for (const location of sample.locations) {
        usedLocations.add(location);
        for (const { function: f } of location.lines) usedFunctions.add(f);
      }
    }
    const texts = [...functions.values()].map((f) => `${f.name}\n${f.systemName}\n${f.filename}\n${f.startLine}`);
    expect(new Set(texts).size === texts.length, 'a function occurs twice');
    const places = [...locations.values()].map(({ mapping, address, isFolded, lines }) =>
      `${mapping?.id} ${address} ${isFolded} ${lines.map((l) => `${l.function.id}:${l.line}:${l.column}`)}`);
    expect(new Set(places).size === places.length, 'a location occurs twice');
    expect(usedLocations.size === locations.size, `${locations.size - usedLocations.size} locations are not used`);
    expect(usedFunctions.size === functions.size, `${functions.size - usedFunctions.size} functions are not used`);
    for (const f of functions.values()) expect(f.name !== '', `function ${f.id} has no name`);
    for (const location of locations.values()) {
      const { mapping, address, lines } = location;
      expect(lines.length > 0 || mapping, `location ${location.id} has neither lines nor a mapping`);
      if (mapping && address) {
        expect(address >= mapping.start && address < mapping.limit, `location ${location.id} is outside its mapping`);
      }
    }
    const cpu = sum(samples, cpuOf(profile));
    console.log(`${sum(samples, samplesOf(profile))} samples, ${samples.length} stacks, ${(cpu / 1e9).toFixed(3)} s CPU`);
  },

  json(profile) {
    const { samples } = profile;
    const cpu = cpuOf(profile);
    console.log(JSON.stringify({
      samples: sum(samples, samplesOf(profile)), cpu: sum(samples, cpu), period: profile.period,
      durationNanos: profile.durationNanos, threads: groupBy(samples, (s) => s.labels.thread, cpu),
      roots: groupBy(samples, rootOf, samplesOf(profile)), comments: profile.comments,
    }, null, 2));
  },

  thread(profile, file, name) {
    console.log(sum(profile.samples.filter((s) => s.labels.thread === name), cpuOf(profile)));
  },

  share(profile, file, ...names) {
    const self = new Map(selfByFunction(profile).map((f) => [f.name, f.self]));
    const all = sum(names, (name) => self.get(name) ?? 0);
    console.log(names.map((name) => percent(self.get(name) ?? 0, all).toFixed(1)).join(' '));
  },

  complete(profile, file, minimum) {
    const count = samplesOf(profile);
    const nameless = new Set(profile.samples.map(rootOf).filter((root) => NAMELESS.test(root)));
    if (nameless.size > 1) fail(`${file}: stacks end at several places in libc: ${[...nameless]}`);
    const reaches = (sample) => THREAD_START.test(rootOf(sample)) || NAMELESS.test(rootOf(sample));
    const whole = sum(profile.samples.filter(reaches), count);
    const reached = percent(whole, sum(profile.samples, count));
    console.log(`${reached.toFixed(2)} % of the stacks reach the thread's start`);
    if (reached >= Number(minimum)) return;
    fail(`${file}: ${reached.toFixed(2)} %, less than ${minimum} %. Roots:`);
    for (const [root, n] of groupBy(profile.samples, rootOf, count).slice(0, 10)) console.error(`  ${n} ${root}`);
  },

  top(profile, file, n = '20') {
    const total = sum(profile.samples, cpuOf(profile));
    for (const f of selfByFunction(profile).slice(0, Number(n))) {
      console.log(`${percent(f.self, total).toFixed(1).padStart(5)} %  ${f.name}  ${f.filename}:${f.startLine}`);
    }
  },

  // A function is the same where base name of the file, line and name agree (Node has no name for what is anonymous).
  // "In frame" is the share of samples whose innermost JavaScript frame it is part of, whatever was inlined there into
  // what: Node gives the time of an inlined function sometimes to it, and sometimes to one that it was inlined into.
  // A function that Node met a few times only, as what runs once, need not be met here.
  compare(profile, file, nodeFile) {
    const node = JSON.parse(readFileSync(nodeFile, 'utf8'));
    const ours = selfByFunction(profile);
    const all = new Map(); // every function on any stack, inlined ones included
    for (const sample of profile.samples) for (const f of frames(sample)) if (isScript(f)) all.set(f.id, f);
    const ourTotal = sum(ours, ({ self }) => self);
    const nodeById = new Map(node.nodes.map((n) => [n.id, n]));
    const self = new Map(), met = new Map();
    node.samples.forEach((id, i) => {
      const { functionName, url, lineNumber } = nodeById.get(id).callFrame;
      if (!url || url.startsWith('node:')) return;
      const key = `${functionName}\n${url}\n${lineNumber + 1}`;
      self.set(key, (self.get(key) ?? 0) + node.timeDeltas[i]);
      met.set(key, (met.get(key) ?? 0) + 1);
    });
    const nodeTotal = sum([...self], ([, time]) => time);
    const cpu = cpuOf(profile);
    const inFrame = new Map();
    for (const sample of profile.samples) {
      const location = sample.locations.find(({ lines }) => lines.some((line) => isScript(line.function)));
      for (const f of new Set(location?.lines.map((line) => line.function))) {
        inFrame.set(f, (inFrame.get(f) ?? 0) + cpu(sample));
      }
    }
    console.log('  Node self  our self  in frame  function, as Node has it');
    for (const [key, time] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 10)) {
      const [name, url, line] = key.split('\n');
      const same = (f) => base(f.filename) === base(url) && f.startLine === Number(line) &&
        (name === '' || name === f.name || name.endsWith(f.name) || f.name.endsWith(name));
      const share = percent(sum(ours.filter(same), (f) => f.self), ourTotal);
      const found = [...all.values()].some(same);
      const frame = percent(sum([...inFrame].filter(([f]) => same(f)), ([, time]) => time), ourTotal);
      const shares = [percent(time, nodeTotal), share, frame].map((n) => `${n.toFixed(1).padStart(8)} %`).join('');
      console.log(`${shares}  ${name || '(anonymous)'} ${base(url)}:${line}${found ? '' : '  <- MISSING'}`);
      if (!found && met.get(key) >= 10) {
        const near = [...all.values()].filter((f) => f.name === name).map((f) => `${f.filename}:${f.startLine}`);
        fail(`${file}: no ${name || '(anonymous)'} at ${base(url)}:${line}${near.length ? `, only ${near}` : ''}`);
      }
    }
  },

  stacks(profile) {
    const count = samplesOf(profile), all = sum(profile.samples, count);
    const having = (name) => sum(profile.samples.filter((s) => frames(s).some((f) => f.name === name)), count);
    const said = (what) => { // the number before these words in the comments
      const match = profile.comments.join('\n').match(new RegExp(`(\\d+) ${what}`));
      if (!match) throw new Error(`no comment says "${what}"`);
      return Number(match[1]);
    };
    const reasons = ['too deep', 'without CFI', 'bad frames', 'in managed code', 'on unknown stacks'].map(said);
    const shown = [all, `${percent(said('complete'), all).toFixed(3)} %`, ...reasons, having('[unknown js]'),
      having('[unknown code]'), having('[not sampled]'), said('ring full'), said('merged')];
    console.log(shown.map((value) => String(value).padStart(9)).join(''));
  },

  gc(profile, file, minimum) {
    const cpu = cpuOf(profile);
    const collector = /Heap::|Scavenge|MarkCompact|Sweep|Evacuat|GCTracer|IncrementalMarking|ConcurrentMarking/;
    const collects = (sample) => frames(sample).some((f) => !isScript(f) && collector.test(f.name));
    const all = sum(profile.samples, cpu);
    const inGc = profile.samples.filter(collects);
    const caused = inGc.filter((sample) => frames(sample).some(isScript));
    const share = percent(sum(inGc, cpu), all);
    console.log(`garbage collector: ${share.toFixed(1)} % of the CPU, ` +
      `${percent(sum(caused, cpu), all).toFixed(1)} % with the JavaScript that caused it on the stack`);
    if (share < Number(minimum)) fail(`${file}: the collector's share is ${share.toFixed(1)} %, less than ${minimum} %`);
    if (caused.length === 0) fail(`${file}: no collection has the JavaScript that caused it on its stack`);
  },

  cpu(profile, file, measured, tolerance = '2', thread = '') {
    const samples = profile.samples.filter((s) => !thread || s.labels.thread === thread);
    const total = sum(samples, cpuOf(profile));
    const off = percent(total - measured, measured);
    const text = `${(total / 1e6).toFixed(1)} ms in the profile, ${(measured / 1e6).toFixed(1)} ms measured: ${off.toFixed(2)} %`;
    console.log(text);
    if (Math.abs(off) > Number(tolerance)) fail(`${file}: off by more than ${tolerance} %: ${text}`);
  },
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [command, file, ...rest] = process.argv.slice(2);
  if (!commands[command] || !file) {
    console.error(`usage: profile_tool.mjs ${Object.keys(commands).join('|')} FILE ...`);
    process.exit(2);
  }
  try {
    commands[command](decode(readFileSync(file)), file, ...rest);
  } catch (error) {
    fail(`${file}: ${error.message}`);
  }
}
