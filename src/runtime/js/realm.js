// fino:realm: Realms that a program makes: each has its own heap, globals, modules and event loop.
//
// The life of one is C's business (realms.h). Here is the owner's side of it: what was asked for, and the control port
// over which calls go out, results come back, and whose closing says that the Realm has ended.
'use strict';

const {
  ArrayIsArray, ArrayPrototypeIncludes, ArrayPrototypeSlice, Error, NumberIsInteger, ObjectAssign, ObjectCreate,
  ObjectKeys, Promise, PromisePrototypeThen, PromiseReject, RangeError, RegExpPrototypeExec, SafeMap,
  StringPrototypeLastIndexOf, StringPrototypeSlice, SymbolToStringTag, TypeError,
} = internal.primordials;
const { defineHidden, describe, dictionary, errorWithCode, listOf } = internal;

// enum rt_realm_kind
const KIND_THREAD = 1;
const KIND_POOLED = 2;
const KIND_SANDBOX = 3;
const PLACE_HERE = 0;
const PLACE_PROCESS = 1;
const PLACE_REMOTE = 2;

// --- options ---------------------------------------------------------------------------------------------------------

function needText(value, where) {
  if (typeof value === 'string') return value;
  throw new TypeError(`${where} must be a string, not ${describe(value)}`);
}

function checkText(value, where) {
  if (needText(value, where) !== '') return value;
  throw new TypeError(`${where} must not be empty`);
}

// entryOf(entry): a path, or the text of a file: URL.
function entryOf(entry) {
  if (typeof entry === 'object' && entry !== null && entry instanceof internal.URL) return entry.href;
  return checkText(entry, 'Realm: options.entry');
}

// baseName(entry): what the Realm is called unless it is given a name.
function baseName(entry) {
  const match = RegExpPrototypeExec(/^[^?#]*/, entry);
  const path = match[0];
  return StringPrototypeSlice(path, StringPrototypeLastIndexOf(path, '/') + 1) || entry;
}

// environmentOf(env, isConfined): a sandbox has none unless it is given one.
function environmentOf(env, isConfined) {
  const copy = {};
  if (env === undefined && isConfined) return copy;
  const from = env === undefined ? internal.process.env : dictionary(env, 'Realm: options.env');
  const names = ObjectKeys(from);
  for (let i = 0; i < names.length; i++) copy[names[i]] = `${from[names[i]]}`;
  return copy;
}

// The limits there are, as C takes them, with the least and the most of each.
const limitNames = ['heapMB', 'cpuMs', 'stackKB'];
const limitRanges = { __proto__: null, heapMB: [16, 1 << 20], cpuMs: [1, 1e12], stackKB: [128, 7168] };

// limitsOf(limits, where): a number for each; 0: none.
function limitsOf(limits, where) {
  const bag = dictionary(limits, where);
  for (const name in bag) {
    if (limitRanges[name] !== undefined) continue;
    throw new TypeError(`${where}.${name} is unknown; there are heapMB, cpuMs and stackKB`);
  }
  const numbers = [];
  for (let i = 0; i < limitNames.length; i++) {
    const value = bag[limitNames[i]];
    const [least, most] = limitRanges[limitNames[i]];
    numbers[i] = value ?? 0;
    if (value === undefined || (NumberIsInteger(value) && value >= least && value <= most)) continue;
    throw new RangeError(`${where}.${limitNames[i]} must be an integer from ${least} to ${most}, ` +
      `not ${describe(value)}`);
  }
  return numbers;
}

// What a sandbox makes is one, too.
const isSandbox = native.realmKind === 'sandbox';

// What these would promise must not be taken for given.
const absent = {
  __proto__: null,
  watch: 'terminate() the Realm and make another to run a changed entry',
};
const known = ['entry', 'source', 'name', 'args', 'env', 'thread', 'process', 'remote', 'token', 'overrides', 'limits'];

// checkPlace(bag, where): `process`, or `remote` with `token`, or neither.
function checkPlace({ process, remote, token, thread }, where) {
  if (process !== undefined && typeof process !== 'boolean') {
    throw new TypeError(`${where}.process must be true or false, not ${describe(process)}`);
  }
  if (remote !== undefined) {
    if (RegExpPrototypeExec(/.:[0-9]+$/, checkText(remote, `${where}.remote`)) === null) {
      throw new TypeError(`${where}.remote must be 'host:port', not ${describe(remote)}`);
    }
    checkText(token, `${where}.token`);
  }
  if (remote === undefined && token !== undefined) throw new TypeError(`${where}.token is of no use without remote`);
  if (remote !== undefined && process) throw new TypeError(`${where}: a Realm is a process or remote, not both`);
  if (thread === false && (process || remote !== undefined)) {
    throw new TypeError(`${where}.thread can't be false: a Realm elsewhere has a thread of its own`);
  }
}

// enum rt_realm_place
function placeOf({ process, remote }) {
  return remote !== undefined ? PLACE_REMOTE : process ? PLACE_PROCESS : PLACE_HERE;
}

// checkRealmOptions(bag, where): an option that isn't there, or a misspelt one, is an error, not ignored.
internal.checkRealmOptions = (bag, where) => {
  for (const name in bag) {
    if (ArrayPrototypeIncludes(known, name)) continue;
    if (name in absent) throw new TypeError(`${where}.${name} is not supported: ${absent[name]}`);
    throw new TypeError(`${where}.${name} is unknown; there are entry, name, args, env, thread, process, remote, ` +
      'token, overrides and limits');
  }
  const { limits, overrides, thread } = bag;
  if (overrides !== undefined && internal.importMapWords(overrides) === undefined) {
    throw new TypeError(`${where}.overrides must be an ImportMap, not ${describe(overrides)}`);
  }
  limitsOf(limits, `${where}.limits`);
  checkPlace(bag, where);
  if (thread === false && (overrides !== undefined || limits !== undefined || isSandbox)) {
    throw new TypeError(`${where}.thread can't be false: a Realm with overrides or limits has a thread of its own`);
  }
  if (bag.thread === undefined || typeof bag.thread === 'boolean') return bag;
  throw new TypeError(`${where}.thread must be true or false, not ${describe(bag.thread)}`);
};

function argumentsOf(args) {
  return args === undefined ? [] : ArrayIsArray(args) ? ArrayPrototypeSlice(args) : listOf(args, 'Realm: options.args');
}

// --- what an end means -----------------------------------------------------------------------------------------------

// endError(label, parts, limits): why run() rejects; undefined: it doesn't. PARTS are what native.realmTakeEnd says.
function endError(label, [reason, exitCode, packed, detail], [heapMB, cpuMs]) {
  switch (reason) {
    case 'done':
    case 'exit':
      return undefined;
    case 'uncaught':
      return internal.unpackError(packed);
    case 'heap':
      return errorWithCode(`Realm ${label} reached the limit of its heap` +
        (heapMB > 0 ? `, ${heapMB} MB (limits.heapMB)` : ''), 'ERR_REALM_HEAP_LIMIT');
    case 'cpu':
      return errorWithCode(`Realm ${label} reached the limit of its CPU time` +
        (cpuMs > 0 ? `, ${cpuMs} ms (limits.cpuMs)` : ''), 'ERR_REALM_CPU_LIMIT');
    case 'unsettled':
      return errorWithCode(`Realm ${label}: the top level of its entry awaits a promise that can't settle any more`,
        'ERR_REALM_UNSETTLED');
    case 'crashed': {
      const how = detail === undefined ? `ended with code ${exitCode}` : `was ended by ${detail}`;
      const error = errorWithCode(`Realm ${label}: its process ${how}`, 'ERR_REALM_CRASHED');
      if (detail === undefined) error.exitCode = exitCode;
      else error.signal = detail;
      return error;
    }
    case 'lost':
      return errorWithCode(`Realm ${label} was lost: ${detail}`, 'ERR_REALM_LOST');
    case 'unreachable':
      return errorWithCode(`Realm ${label} can't be started: ${detail}`, 'ERR_REALM_START');
    default:
      return errorWithCode(`Realm ${label} was terminated`, 'ERR_REALM_TERMINATED');
  }
}

const ignore = () => {};

// --- the class -------------------------------------------------------------------------------------------------------

class Realm {
  #id;
  #label;
  #control;
  #port;
  #init;
  #limits;
  #state = 'new'; // then 'started', then 'ended'
  #isReferenced = true;
  #isHeld = false;
  #ending; // { promise, resolve, reject } of run()
  #isRun = false;
  #isAwaited = false; // by run(), close() or terminate()
  #error; // once it has ended: what calls are rejected with
  #calls = new SafeMap(); // id -> { resolve, reject }
  #lastCall = 0;

  constructor(options) {
    const bag = internal.checkRealmOptions(dictionary(options, 'Realm: options'), 'Realm: options');
    const entry = bag.source === undefined ? entryOf(bag.entry) : checkText(bag.entry ?? '[source].mjs', 'entry');
    const name = bag.name === undefined ? baseName(entry) : checkText(bag.name, 'Realm: options.name');
    const { overrides } = bag;
    const isConfined = isSandbox || overrides !== undefined;
    const hasThread = bag.thread === true || bag.limits !== undefined;
    const kind = isConfined ? KIND_SANDBOX : hasThread ? KIND_THREAD : KIND_POOLED;
    this.#limits = limitsOf(bag.limits, 'Realm: options.limits');
    this.#init = { args: argumentsOf(bag.args), env: environmentOf(bag.env, isConfined) };
    const parts = native.realmNew(entry, bag.source, name, kind, internal.importMapWords(overrides),
      this.#limits[0], this.#limits[1], this.#limits[2], placeOf(bag), bag.remote, bag.token);
    this.#id = parts[0];
    this.#label = parts[1];
    this.#control = parts[2];
    this.#port = parts[3];
    native.portRef(this.#port, false); // the Realm itself keeps its owner alive
    const ending = {};
    ending.promise = new Promise((resolve, reject) => {
      ending.resolve = resolve;
      ending.reject = reject;
    });
    this.#ending = ending;
  }

  static {
    // whenRealmEnds(realm, callback): however it does; a Realm that never starts doesn't.
    internal.whenRealmEnds = (realm, callback) => {
      PromisePrototypeThen(realm.#ending.promise, callback, callback);
    };
  }

  // Realm.fromSource(source, options): its entry is that text, a module.
  static fromSource(source, options = undefined) {
    const bag = internal.checkRealmOptions(dictionary(options, 'Realm.fromSource: options'), 'Realm.fromSource: options');
    return new Realm(ObjectAssign({}, bag, {
      source: needText(source, 'Realm.fromSource: source'),
    }));
  }

  get id() { return this.#id; }
  get thread() { return this.#label; } // its label in profiles
  get port() { return this.#port; }

  // run(): starts it. Settles when its work is done: with its exit code, or the error that nobody caught in it.
  run() {
    if (this.#isRun) return PromiseReject(new Error(`Realm ${this.#label} was run before`));
    this.#isRun = true;
    this.#start();
    return this.#awaitEnd();
  }

  // call(...args): of the entry's default export. The Realm then stays until it is closed or terminated, or its owner
  // has nothing left to do.
  call(...args) {
    if (this.#state === 'ended') return PromiseReject(this.#error);
    this.#start();
    if (!this.#isHeld) {
      this.#isHeld = true;
      internal.postInternal(this.#control, { type: 'hold' });
    }
    const id = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      internal.postInternal(this.#control, { type: 'call', id, args });
      this.#calls.set(id, { resolve, reject });
      this.#updateReference();
    });
  }

  get pending() { return this.#calls.size; }

  // close(): no more calls; it ends when its work is done. Resolves when it has ended, however.
  close() {
    if (this.#state === 'new') this.#end(['terminated', 0, undefined]);
    if (this.#isHeld) {
      this.#isHeld = false;
      if (this.#state === 'started') internal.postInternal(this.#control, { type: 'release' });
    }
    return PromisePrototypeThen(this.#awaitEnd(), ignore, ignore);
  }

  // terminate(): at once, whatever it is doing. Resolves when it has ended.
  terminate() {
    if (this.#state === 'new') this.#end(['terminated', 0, undefined]);
    if (this.#state === 'started') native.realmStop(this.#id);
    return PromisePrototypeThen(this.#awaitEnd(), ignore, ignore);
  }

  ref() { return this.#setReferenced(true); }
  unref() { return this.#setReferenced(false); }
  hasRef() { return this.#isReferenced; }
  #setReferenced(wanted) {
    this.#isReferenced = wanted;
    this.#updateReference();
    return this;
  }

  // What keeps the owner alive is what it waits for: the end of run(), or of a call.
  #updateReference() {
    if (this.#state !== 'started') return;
    native.portRef(this.#control, this.#isReferenced && (this.#isAwaited || this.#calls.size > 0));
  }

  #start() {
    if (this.#state !== 'new') return;
    const problem = native.realmStart(this.#id, this.#init);
    this.#init = undefined;
    if (problem !== null) throw errorWithCode(`Realm ${this.#label} can't be started: ${problem}`, 'ERR_REALM_START');
    this.#state = 'started';
    this.#updateReference();
    internal.handlePort(this.#control, {
      __proto__: null,
      message: (message) => this.#answer(message),
      close: () => this.#end(native.realmTakeEnd(this.#id)),
    });
  }

  #awaitEnd() {
    this.#isAwaited = true;
    this.#updateReference();
    return this.#ending.promise;
  }

  // What comes from another process may be anything.
  #answer(message) {
    const { type, id, value } = message ?? {};
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    if (type === 'done') call.resolve(value);
    else call.reject(internal.unpackError(value));
    this.#updateReference();
  }

  #end(parts) {
    const error = endError(this.#label, parts, this.#limits);
    this.#state = 'ended';
    this.#error = error ?? errorWithCode(`Realm ${this.#label} has ended`, 'ERR_REALM_ENDED');
    native.portClose(this.#port);
    // Who terminates a Realm knows that it ends; who never ran it hears of its errors by the calls.
    if (parts[0] === 'terminated' || !this.#isRun) PromisePrototypeThen(this.#ending.promise, ignore, ignore);
    if (error === undefined) this.#ending.resolve(parts[1]);
    else this.#ending.reject(error);
    const calls = this.#calls;
    this.#calls = new SafeMap();
    calls.forEach((call) => call.reject(this.#error));
  }
}
defineHidden(Realm.prototype, SymbolToStringTag, 'Realm');
defineHidden(Realm.prototype, Symbol.dispose, function dispose() { this.terminate(); });
defineHidden(Realm.prototype, Symbol.asyncDispose, function asyncDispose() { return this.terminate(); });

const exported = { __proto__: null, ImportMap: internal.ImportMap, Realm };
internal.realmModule = ObjectAssign(ObjectCreate(null), exported, { default: Realm });
internal.Realm = Realm;
