// Writes profiles for the tests of the flame graph: make.mjs small|base|large FILE. "small" has known sums and the names that
// break careless pages, "large" 100,000 distinct stacks.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Function, Label, Line, Location, Profile, Sample, StringTable, ValueType } from '../../build/npm/pprof-format/dist/esm/index.js';

export const hostile = ['</script><script>window.pwned = 1</script>', '<img src=x onerror="window.pwned = 1">', 'constructor', '__proto__',
  '\u202eltr.exe', '-->', '${window.pwned = 1}', `long ${'x'.repeat(10000)}`, 'z\u0000y\nx'];

const strings = new StringTable(), text = (string) => strings.dedup(string);
const functions = new Map(), locations = new Map(), samples = [];

function functionOf(name, file) {
  const key = `${name} ${file}`;
  if (!functions.has(key)) {
    const id = functions.size + 1;
    functions.set(key, new Function({ id, name: text(name), systemName: text(name), filename: text(file), startLine: 10 * id }));
  }
  return functions.get(key).id;
}

// A location is "name", or "inner<outer" for a function inlined into another.
function locationOf(names, file) {
  if (!locations.has(names)) {
    const line = names.split('<<').map((name) => new Line({ functionId: functionOf(name, file), line: 3 }));
    locations.set(names, new Location({ id: locations.size + 1, line }));
  }
  return locations.get(names).id;
}

function add(thread, stack, milliseconds, file = '/app/main.ts') { // root first
  samples.push(new Sample({ locationId: stack.map((name) => locationOf(name, file)).reverse(), value: [1, milliseconds * 1e6],
    label: [new Label({ key: text('thread'), str: text(thread) })] }));
}

function write(file) {
  const type = (name, unit) => new ValueType({ type: text(name), unit: text(unit) });
  writeFileSync(file, new Profile({ sampleType: [type('samples', 'count'), type('cpu', 'nanoseconds')], sample: samples,
    location: [...locations.values()], function: [...functions.values()], stringTable: strings, timeNanos: 1, durationNanos: 1 }).encode());
}

function small(scale) {
  add('main', ['root', 'a', 'b'], 600 * scale);
  add('main', ['root', 'c<<a'], 200);
  add('main', ['root', 'd'], 100);
  add('worker', ['root', 'a', 'b'], 100);
  for (const name of hostile) add('main', ['root', name], 1);
}

function large() {
  let seed = 1;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let i = 0; i < 100000; i++) {
    const stack = ['root'];
    for (let j = 0; j < 39; j++) stack.push(`function${j < 12 ? random(3) + 3 * j : random(2000)}`);
    stack.push(`leaf${i}`);
    add(`thread ${i % 8}`, stack, 1 + random(20));
  }
}

const [, script, kind, file] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  if (kind === 'large') large();
  else small(kind === 'base' ? 0.5 : 1);
  write(file);
}
