// fino:profiler: recordings of the CPU, started and stopped by the program. What they see and when is C's business.
'use strict';

const { Number, ObjectAssign, ObjectCreate, Promise, RangeError, RegExpPrototypeExec, TypeError } =
  internal.primordials;
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

const exported = { __proto__: null, isProfiling, profile, startProfiling, stats, stopProfiling };
internal.profilerModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
