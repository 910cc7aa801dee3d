// console: the WHATWG Console Standard's namespace, printing as Node does: log, info, debug, dir and table to stdout;
// error, warn, trace and assert to stderr. Each call is one synchronous write, so that output survives a crash or an
// exit.
'use strict';

const {
  ArrayPrototypePush, ErrorCaptureStackTrace, MathFloor, NumberPrototypeToFixed, ObjectAssign, ObjectCreate,
  ObjectDefineProperty, ReflectOwnKeys, SafeMap, String, StringPrototypeIncludes, StringPrototypePadStart,
  StringPrototypeReplaceAll, StringPrototypeSlice, SymbolToStringTag,
} = internal.primordials;
const { envGet, isatty, now, write } = native;

const GROUP_INDENT = '  ';

let indent = '';
const counts = new SafeMap();
const timers = new SafeMap();

// wantsColours(fd): FORCE_COLOR and NO_COLOR decide, else whether it is a capable terminal.
function wantsColours(fd) {
  const force = envGet('FORCE_COLOR');
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (envGet('NO_COLOR') || envGet('NODE_DISABLE_COLORS')) return false;
  return isatty(fd) && envGet('TERM') !== 'dumb';
}

const coloured = { __proto__: null, colors: true };
const options = [undefined, undefined, undefined];

// optionsFor(fd): what inspect is told when it writes to fd; found out once.
function optionsFor(fd) {
  options[fd] ??= wantsColours(fd) ? coloured : { __proto__: null };
  return options[fd];
}

function print(fd, text) {
  if (indent !== '') {
    if (StringPrototypeIncludes(text, '\n')) text = StringPrototypeReplaceAll(text, '\n', `\n${indent}`);
    text = indent + text;
  }
  try {
    write(fd, `${text}\n`);
  } catch {
    // Nobody reads any more (EPIPE, EBADF, a full disk): printing is not worth an exception in the program.
  }
}

// A lone string needs no formatting: a program that prints nothing else never loads the scripts that format.
function printFormatted(fd, args) {
  const isPlain = args.length === 1 && typeof args[0] === 'string';
  print(fd, isPlain ? args[0] : internal.formatWithOptions(optionsFor(fd), args));
}

const warning = (text) => print(2, `Warning: ${text}`);

function durationText(ms) {
  if (ms < 1000) return `${+NumberPrototypeToFixed(ms, 3)}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${NumberPrototypeToFixed(seconds, 3)}s`;
  const pad = (number) => StringPrototypePadStart(String(number), 2, '0');
  const hours = MathFloor(seconds / 3600);
  const minutes = MathFloor(seconds / 60) % 60;
  if (hours > 0) return `${hours}:${pad(minutes)}:${pad(MathFloor(seconds % 60))} (h:mm:ss)`;
  return `${minutes}:${StringPrototypePadStart(NumberPrototypeToFixed(seconds % 60, 3), 6, '0')} (m:ss.mmm)`;
}

// sinceStart(label, name): the running timer's time as text, or undefined after a warning.
function sinceStart(label, name) {
  const start = timers.get(label);
  if (start === undefined) {
    warning(`No such label '${label}' for console.${name}()`);
    return undefined;
  }
  return durationText(now() - start);
}

const methods = {
  log(...args) { printFormatted(1, args); },
  warn(...args) { printFormatted(2, args); },
  error(...args) { printFormatted(2, args); },

  dir(value, given) {
    print(1, internal.inspect(value, ObjectAssign({ customInspect: false }, optionsFor(1), given)));
  },
  dirxml(...args) { printFormatted(1, args); },

  time(label = 'default') {
    label = `${label}`;
    if (timers.has(label)) warning(`Label '${label}' already exists for console.time()`);
    else timers.set(label, now());
  },
  timeEnd(label = 'default') {
    label = `${label}`;
    const text = sinceStart(label, 'timeEnd');
    if (text === undefined) return;
    timers.delete(label);
    printFormatted(1, ['%s: %s', label, text]);
  },
  timeLog(label = 'default', ...args) {
    label = `${label}`;
    const text = sinceStart(label, 'timeLog');
    if (text === undefined) return;
    const line = ['%s: %s', label, text];
    for (let i = 0; i < args.length; i++) ArrayPrototypePush(line, args[i]);
    printFormatted(1, line);
  },

  trace: function trace(...args) {
    const error = { name: 'Trace', message: internal.formatWithOptions(optionsFor(2), args) };
    ErrorCaptureStackTrace(error, trace);
    print(2, error.stack);
  },
  assert(condition, ...args) {
    if (condition) return;
    args[0] = args.length === 0 ? 'Assertion failed' : `Assertion failed: ${String(args[0])}`;
    printFormatted(2, args);
  },
  clear() {
    if (isatty(1) && envGet('TERM') !== 'dumb') write(1, '\u001b[1;1H\u001b[0J');
  },

  count(label = 'default') {
    label = `${label}`;
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    printFormatted(1, [`${label}: ${count}`]);
  },
  countReset(label = 'default') {
    label = `${label}`;
    if (!counts.delete(label)) warning(`Count for '${label}' does not exist`);
  },

  group(...args) {
    if (args.length > 0) printFormatted(1, args);
    indent += GROUP_INDENT;
  },
  groupEnd() { indent = StringPrototypeSlice(indent, 0, indent.length - GROUP_INDENT.length); },

  table(data, columns) {
    internal.load('console_table');
    const text = internal.tableText(data, columns);
    if (text === undefined) printFormatted(1, [data]);
    else print(1, text);
  },
};
methods.debug = methods.log;
methods.info = methods.log;
methods.groupCollapsed = methods.group;

// A namespace object: an empty object between it and Object.prototype, and a string tag.
const console = ObjectCreate({});
const names = ReflectOwnKeys(methods);
for (let i = 0; i < names.length; i++) console[names[i]] = methods[names[i]];
ObjectDefineProperty(console, SymbolToStringTag, { __proto__: null, value: 'console', configurable: true });

internal.wantsColours = wantsColours;
internal.console = console;
