// fino:process: the program's arguments, environment, standard streams, signals and end.
'use strict';

const {
  ArrayBufferIsView, ArrayIsArray, ArrayPrototypeIncludes, ArrayPrototypeJoin, ArrayPrototypePush, ArrayPrototypeSlice,
  ArrayPrototypeSplice, BigInt, MathFloor, MathRound, Number, NumberIsInteger, ObjectAssign, ObjectCreate,
  ObjectDefineProperty, ObjectFreeze, ObjectKeys, Promise, PromiseResolve, Proxy, ReflectApply, ReflectHas, SafeMap,
  SymbolAsyncIterator, SymbolToStringTag, TypeError, TypedArrayPrototypeGetByteLength, TypedArrayPrototypeSet,
  Uint8Array,
} = internal.primordials;
const { customInspect, defineHidden, describe, needFunction } = internal;

// --- listeners -------------------------------------------------------------------------------------------------------

const events = ['exit', 'beforeExit', 'uncaughtException', 'unhandledRejection'];
const listeners = new SafeMap(); // event name -> [{ listener, once }]

function needEvent(name) {
  if (typeof name === 'string' && (native.signals[name] !== undefined || ArrayPrototypeIncludes(events, name))) return;
  if (name === 'SIGPROF') {
    throw new TypeError('process.on: SIGPROF cannot be handled: it is left to native profilers, whose timers would end ' +
      'in your listener; use SIGUSR1 or SIGUSR2');
  }
  const known = ArrayPrototypeJoin(events, ', ');
  throw new TypeError(`process.on: no such event: ${describe(name)}; there are ${known} and the names of signals, ` +
    'such as SIGINT');
}

function addListener(name, listener, once) {
  needEvent(name);
  needFunction(listener, 'process.on: listener');
  const list = listeners.get(name);
  if (list !== undefined) {
    ArrayPrototypePush(list, { listener, once });
  } else {
    // The signal first: some, such as SIGKILL, cannot be watched, and that throws.
    const number = native.signals[name];
    if (number !== undefined) native.signalWatch(number, true);
    listeners.set(name, [{ listener, once }]);
  }
}

function removeListener(name, listener) {
  const list = listeners.get(name);
  if (list === undefined) return;
  for (let i = list.length - 1; i >= 0; i--) {
    if (list[i].listener !== listener) continue;
    ArrayPrototypeSplice(list, i, 1);
    break;
  }
  if (list.length > 0) return;
  listeners.delete(name);
  const number = native.signals[name];
  if (number !== undefined) native.signalWatch(number, false);
}

// emit(name, args): true if there was a listener.
function emit(name, args) {
  const list = listeners.get(name);
  if (list === undefined) return false;
  const current = ArrayPrototypeSlice(list);
  for (let i = 0; i < current.length; i++) {
    if (current[i].once) removeListener(name, current[i].listener);
    ReflectApply(current[i].listener, process, args);
  }
  return true;
}

// emitProcessEvent(name, ...args): called by C.
internal.emitProcessEvent = (name, ...args) => {
  if (name === 'exit') {
    if (exitCode === undefined) exitCode = args[0];
    isExiting = true;
  }
  return emit(name, args);
};

// onSignal(number): called by C from the event loop.
internal.onSignal = (number) => {
  const name = signalName(number);
  if (name !== undefined) emit(name, [name, number]);
};

function signalName(number) {
  const names = ObjectKeys(native.signals);
  for (let i = 0; i < names.length; i++) {
    if (native.signals[names[i]] === number) return names[i];
  }
  return undefined;
}

function on(name, listener) {
  addListener(name, listener, false);
  return process;
}

function once(name, listener) {
  addListener(name, listener, true);
  return process;
}

function off(name, listener) {
  needEvent(name);
  removeListener(name, listener);
  return process;
}

// --- end -------------------------------------------------------------------------------------------------------------

let exitCode; // undefined until set
let isExiting = false;

function toExitCode(code, where) {
  const number = typeof code === 'string' && code !== '' ? +code : code;
  if (typeof number !== 'number' || !NumberIsInteger(number)) {
    throw new TypeError(`${where} must be an integer, not ${describe(code)}`);
  }
  return number;
}

function exit(code = undefined) {
  if (code !== undefined && code !== null) exitCode = toExitCode(code, 'process.exit: code');
  if (!isExiting) {
    isExiting = true;
    emit('exit', [exitCode ?? 0]);
  }
  native.exit((exitCode ?? 0) & 0xff);
}

// --- environment -----------------------------------------------------------------------------------------------------

// A property is the variable of that name. Values are strings; anything set is converted.
const variables = {};
defineHidden(variables, customInspect, () => ObjectAssign({}, env));
// The process's belongs to its main Realm alone: threads must not change it while others look. The rest have a copy.
const processEnv = () => new Proxy(variables, {
  __proto__: null,
  get: (target, name) => (typeof name === 'string' ? native.envGet(name) ?? target[name] : target[name]),
  set(target, name, value) {
    if (typeof name === 'symbol' || typeof value === 'symbol') {
      throw new TypeError('process.env: names and values must be strings, not symbols');
    }
    native.envSet(name, `${value}`);
    return true;
  },
  has: (target, name) => typeof name === 'string' && native.envGet(name) !== undefined,
  deleteProperty(target, name) {
    if (typeof name === 'string') native.envDelete(name);
    return true;
  },
  ownKeys: () => native.envKeys(),
  getOwnPropertyDescriptor(target, name) {
    const value = typeof name === 'string' ? native.envGet(name) : undefined;
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
  defineProperty(target, name, descriptor) {
    if (!ReflectHas(descriptor, 'value') || typeof name === 'symbol') {
      throw new TypeError('process.env: a variable can only have a value, not a getter or a setter');
    }
    native.envSet(name, `${descriptor.value}`);
    return true;
  },
});
const env = internal.realmEnv ?? processEnv();

// --- streams ---------------------------------------------------------------------------------------------------------

// An output stream: write() returns when all is written.
class Output {
  constructor(fd) { ObjectDefineProperty(this, 'fd', { __proto__: null, value: fd, enumerable: true }); }

  get isTTY() { return native.isatty(this.fd); }
  get columns() { return native.columns(this.fd) || undefined; }
  write(data) {
    if (typeof data !== 'string' && !ArrayBufferIsView(data)) {
      throw new TypeError(`write: data must be a string or a Uint8Array, not ${describe(data)}`);
    }
    native.write(this.fd, data);
    return true;
  }
}

const CHUNK_BYTES = 65536;

let isEnded = false;

// read(): the next bytes of standard input, or null at its end.
function read() {
  if (isEnded) return PromiseResolve(null);
  return new Promise((resolve, reject) => {
    native.stdinRead(CHUNK_BYTES, (error, bytes) => {
      if (error) {
        reject(error);
      } else {
        if (bytes === null) isEnded = true;
        resolve(bytes);
      }
    });
  });
}

async function readAll() {
  const chunks = [];
  let length = 0;
  for (let bytes; (bytes = await read()) !== null;) {
    ArrayPrototypePush(chunks, bytes);
    length += TypedArrayPrototypeGetByteLength(bytes);
  }
  const result = new Uint8Array(length);
  for (let i = 0, at = 0; i < chunks.length; i++) {
    TypedArrayPrototypeSet(result, chunks[i], at);
    at += TypedArrayPrototypeGetByteLength(chunks[i]);
  }
  return result;
}

const stdin = {
  fd: 0,
  get isTTY() { return native.isatty(0); },
  read,
  bytes: () => readAll(),
  async text() {
    const bytes = await readAll();
    return native.utf8Decode(bytes, 0, TypedArrayPrototypeGetByteLength(bytes), false, false);
  },
  async* [SymbolAsyncIterator]() {
    for (let bytes; (bytes = await read()) !== null;) yield bytes;
  },
};

// --- measures --------------------------------------------------------------------------------------------------------

function cpuUsage(previous = undefined) {
  const usage = native.cpuUsage();
  if (previous === undefined || previous === null) return usage;
  if (typeof previous.user !== 'number' || typeof previous.system !== 'number') {
    throw new TypeError('process.cpuUsage: previous must be the result of an earlier call');
  }
  return { user: usage.user - previous.user, system: usage.system - previous.system };
}

// threadCpuUsage(previous): CPU time of this Realm in microseconds, or since `previous`, on whatever threads it runs. The
// kernel's clock for threads does not tell user from system time: the sum is right, and all of it is given as `user`.
function threadCpuUsage(previous = undefined) {
  const usage = { user: Number(native.threadCpuTimeNs()) / 1000, system: 0 };
  if (previous === undefined || previous === null) return usage;
  if (typeof previous.user !== 'number' || typeof previous.system !== 'number') {
    throw new TypeError('process.threadCpuUsage: previous must be the result of an earlier call');
  }
  return { user: usage.user - previous.user, system: usage.system - previous.system };
}

const NS_PER_MS = 1e6;

// hrtime(previous): [seconds, nanoseconds] since the start, or since `previous`.
function hrtime(previous = undefined) {
  const ns = MathRound(native.now() * NS_PER_MS);
  let seconds = MathFloor(ns / 1e9);
  let rest = ns - seconds * 1e9;
  if (previous !== undefined) {
    if (!ArrayIsArray(previous) || previous.length !== 2) {
      throw new TypeError('process.hrtime: previous must be the result of an earlier call');
    }
    seconds -= previous[0];
    rest -= previous[1];
    if (rest < 0) {
      seconds--;
      rest += 1e9;
    }
  }
  return [seconds, rest];
}
hrtime.bigint = () => BigInt(MathRound(native.now() * NS_PER_MS));

// --- the rest --------------------------------------------------------------------------------------------------------

function chdir(directory) {
  if (typeof directory !== 'string') {
    throw new TypeError(`process.chdir: directory must be a string, not ${describe(directory)}`);
  }
  native.chdir(directory);
}

function kill(pid, signal = 'SIGTERM') {
  if (typeof pid !== 'number' || !NumberIsInteger(pid)) {
    throw new TypeError(`process.kill: pid must be an integer, not ${describe(pid)}`);
  }
  const number = typeof signal === 'number' ? signal : native.signals[signal];
  if (number === undefined || !NumberIsInteger(number)) {
    throw new TypeError(`process.kill: no such signal: ${describe(signal)}`);
  }
  native.kill(pid, number);
  return true;
}

const exported = {
  __proto__: null,
  arch: native.arch,
  args: internal.realmArguments ?? native.args,
  chdir,
  cpuUsage,
  cwd: () => native.cwd(),
  env,
  execPath: native.execPath,
  exit,
  hrtime,
  kill,
  memoryUsage: () => native.memoryUsage(),
  off,
  on,
  once,
  pid: native.pid,
  platform: native.platform,
  ppid: native.ppid,
  scriptPath: native.scriptPath,
  stderr: new Output(2),
  stdin,
  stdout: new Output(1),
  threadCpuUsage,
  uptime: () => native.uptime(),
  version: native.version,
  versions: ObjectFreeze(ObjectAssign({}, native.versions)),
};

// The default export: all of the named ones, and exitCode, which can be set.
const process = ObjectAssign({}, exported);
ObjectDefineProperty(process, 'exitCode', {
  __proto__: null,
  get() { return exitCode; },
  set(code) {
    exitCode = code === undefined || code === null ? undefined : toExitCode(code, 'process.exitCode');
    native.setExitCode((exitCode ?? 0) & 0xff);
  },
  enumerable: true,
  configurable: false,
});
defineHidden(process, SymbolToStringTag, 'process');

internal.process = process;
internal.processModule = ObjectAssign(ObjectCreate(null), exported, { default: process });
