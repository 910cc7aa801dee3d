// fino:profiler: recordings of the CPU, started and stopped by the program. What they see and when is C's business.
'use strict';

const {
  ArrayPrototypeSlice, ArrayPrototypeSplice, JSONStringify, Number, ObjectAssign, ObjectCreate, ObjectKeys, Promise,
  RangeError, RegExpPrototypeExec, SafeMap, TypeError,
} = internal.primordials;
const { describe, dictionary } = internal;

// Who imports this module means to record, so what a first recording needs to know of V8's code is learnt here and now,
// when there is little: later, in the middle of the program's work, it would take longer.
native.profilerPrepare();

// checkName(name, where): undefined, or the name.
function checkName(name, where) {
  if (name === undefined || (typeof name === 'string' && name !== '')) return name;
  throw new TypeError(`${where}: name must be a string that is not empty, not ${describe(name)}`);
}

const units = { __proto__: null, us: 1e3, ms: 1e6 };

// intervalNs(interval, where): of milliseconds, or of text as the command line has it; 0 for the default.
function intervalNs(interval, where) {
  if (interval === undefined) return 0;
  const match = typeof interval === 'string' ? RegExpPrototypeExec(/^(\d+(?:\.\d+)?)(us|ms)$/, interval) : null;
  const ns = match !== null ? Number(match[1]) * units[match[2]] : typeof interval === 'number' ? interval * 1e6 : 0;
  if (ns >= 1e5 && ns <= 1e8) return ns;
  throw new RangeError(`${where}: interval must be from 0.1 to 100 milliseconds, or text such as '500us', ` +
    `not ${describe(interval)}`);
}

function startProfiling(name = undefined, options = undefined) {
  checkName(name, 'startProfiling');
  const { interval } = dictionary(options, 'startProfiling: options');
  native.profilerStart(name, intervalNs(interval, 'startProfiling'), false);
}

const stopProfiling = (name = undefined) => native.profilerStop(checkName(name, 'stopProfiling'));
const isProfiling = (name = undefined) => native.profilerHas(checkName(name, 'isProfiling'));
const stats = (name = undefined) => native.profilerStats(checkName(name, 'stats'));

const sleep = (ms) => new Promise((resolve) => { internal.setTimeout(resolve, ms); });

// profile(work, options): a recording while `work`, a function, runs and what it returned settles, or of so many
// milliseconds. It is found by its id alone, so that any number may overlap and nobody else's stop can end it.
async function profile(work, options = undefined) {
  if (typeof work !== 'function' && !(typeof work === 'number' && work >= 0)) {
    throw new TypeError(`profile: give it a function, or milliseconds, not ${describe(work)}`);
  }
  const { interval } = dictionary(options, 'profile: options');
  const id = native.profilerStart(undefined, intervalNs(interval, 'profile'), true);
  let profile;
  try {
    await (typeof work === 'function' ? work() : sleep(work));
  } finally {
    profile = native.profilerStop(id);
  }
  return profile;
}

// --- labels ----------------------------------------------------------------------------------------------------------
//
// A set of labels is a number, which V8 keeps for what runs now and gives to what continues it after an await; timers,
// immediates and microtasks keep it here (internal.currentLabels). The same set is the same number.

const MAX_LABELS = 8;
const sets = new SafeMap(); // its text -> the number of a set
const contents = new SafeMap(); // number -> [key, value, key, value, ...]
const none = [];

// merged(list, labels, where): list with labels, sorted by key.
function merged(list, labels, where) {
  const keys = ObjectKeys(labels);
  const result = ArrayPrototypeSlice(list);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const value = labels[key];
    if (key === '' || key === 'thread' || key === 'realm') throw new TypeError(`${where}: no label can be called '${key}'`);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new TypeError(`${where}: label ${key} must be a string, a number or a boolean, not ${describe(value)}`);
    }
    let at = 0;
    while (at < result.length && result[at] < key) at += 2;
    ArrayPrototypeSplice(result, at, result[at] === key ? 2 : 0, key, `${value}`);
  }
  if (result.length > 2 * MAX_LABELS) throw new RangeError(`${where}: more than ${MAX_LABELS} labels at once`);
  return result;
}

function setOf(list) {
  const text = JSONStringify(list);
  let number = sets.get(text);
  if (number === undefined) {
    number = native.labelSetAdd(list);
    if (number === 0) throw new RangeError('labels: there are 65536 different sets already; give labels fewer values');
    sets.set(text, number);
    contents.set(number, list);
  }
  return number;
}

function withMore(labels, where) {
  if (typeof labels !== 'object' || labels === null) {
    throw new TypeError(`${where}: labels must be an object, not ${describe(labels)}`);
  }
  internal.currentLabels = native.labelsGet; // from now on timers ask
  return setOf(merged(contents.get(native.labelsGet()) ?? none, labels, where));
}

// withLabels(labels, work): what work returns. Samples of it, and of all that continues it, carry the labels.
function withLabels(labels, work) {
  internal.needFunction(work, 'withLabels: work');
  const number = withMore(labels, 'withLabels');
  const before = native.labelsGet();
  native.labelsSet(number);
  try {
    return work();
  } finally {
    native.labelsSet(before);
  }
}

// setLabel(key, value): from here on, for the rest of the callback that runs and what continues it.
function setLabel(key, value) {
  if (typeof key !== 'string') throw new TypeError(`setLabel: key must be a string, not ${describe(key)}`);
  native.labelsSet(withMore({ __proto__: null, [key]: value }, 'setLabel'));
}

const exported = {
  __proto__: null, isProfiling, profile, setLabel, startProfiling, stats, stopProfiling, withLabels,
};
internal.profilerModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
