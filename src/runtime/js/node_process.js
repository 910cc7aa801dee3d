// node:process, and the global `process` that programs from npm expect: what fino:process has, by Node's names.
'use strict';

const {
  ArrayPrototypePush, ArrayPrototypeSlice, ArrayPrototypeSplice, ObjectAssign, ObjectDefineProperty, ObjectFreeze,
  ReflectApply, SafeMap, String, SymbolToStringTag,
} = internal.primordials;
const { defineHidden, needFunction } = internal;
const base = internal.process;

// The interfaces that are here are those of this Node: programs that ask for less take them.
const NODE_VERSION = '20.0.0';

const process = {};
const names = ['arch', 'chdir', 'cpuUsage', 'cwd', 'env', 'execPath', 'exit', 'hrtime', 'kill', 'memoryUsage', 'pid',
  'platform', 'ppid', 'stderr', 'stdin', 'stdout', 'uptime'];
for (let i = 0; i < names.length; i++) process[names[i]] = base[names[i]];

ObjectAssign(process, {
  title: 'fino',
  version: `v${NODE_VERSION}`,
  versions: ObjectFreeze(ObjectAssign({ node: NODE_VERSION }, base.versions)),
  release: { name: 'node' },
  argv: [base.execPath, native.mainPath() ?? base.scriptPath],
  argv0: 'fino',
  execArgv: [],
  config: { target_defaults: {}, variables: {} },
  features: {},
});
for (let i = 0; i < base.args.length; i++) ArrayPrototypePush(process.argv, base.args[i]);
ObjectDefineProperty(process, 'exitCode', {
  __proto__: null, get: () => base.exitCode, set(code) { base.exitCode = code; }, enumerable: true, configurable: true,
});
defineHidden(process, SymbolToStringTag, 'process');

process.nextTick = function nextTick(callback, ...args) {
  needFunction(callback, 'process.nextTick: callback');
  globalThis.queueMicrotask(() => { ReflectApply(callback, undefined, args); });
};

process.emitWarning = function emitWarning(warning, type = 'Warning') {
  const kind = typeof type === 'string' ? type : type?.type ?? 'Warning';
  const text = typeof warning === 'string' ? `${kind}: ${warning}` : String(warning);
  base.stderr.write(`(fino:${base.pid}) ${text}\n`);
};

// --- events: those that fino:process has are its own, others are only what emit() says ---------------------------------

const others = new SafeMap(); // name -> [listener]
const ours = ['exit', 'beforeExit', 'uncaughtException', 'unhandledRejection'];
const isOurs = (name) => {
  if (native.signals[name] !== undefined) return true;
  for (let i = 0; i < ours.length; i++) if (ours[i] === name) return true;
  return false;
};

function addOther(name, listener) {
  needFunction(listener, 'process.on: listener');
  const list = others.get(name);
  if (list === undefined) others.set(name, [listener]);
  else ArrayPrototypePush(list, listener);
}

process.on = process.addListener = function on(name, listener) {
  if (isOurs(name)) base.on(name, listener);
  else addOther(name, listener);
  return process;
};
process.once = function once(name, listener) {
  if (isOurs(name)) {
    base.once(name, listener);
    return process;
  }
  needFunction(listener, 'process.once: listener');
  const single = (...args) => {
    process.off(name, single);
    ReflectApply(listener, process, args);
  };
  addOther(name, single);
  return process;
};
process.off = process.removeListener = function off(name, listener) {
  if (isOurs(name)) {
    base.off(name, listener);
    return process;
  }
  const list = others.get(name);
  for (let i = 0; list !== undefined && i < list.length; i++) {
    if (list[i] === listener) {
      ArrayPrototypeSplice(list, i, 1);
      break;
    }
  }
  return process;
};
process.emit = function emit(name, ...args) {
  if (isOurs(name)) return internal.emitProcessEvent(name, ...args);
  const list = ArrayPrototypeSlice(others.get(name) ?? []);
  for (let i = 0; i < list.length; i++) ReflectApply(list[i], process, args);
  return list.length > 0;
};
process.listeners = (name) => ArrayPrototypeSlice(others.get(name) ?? []);
process.listenerCount = (name) => others.get(name)?.length ?? 0;

internal.nodeProcess = process;
internal.nodeProcessModule = internal.nodeModule(process);
