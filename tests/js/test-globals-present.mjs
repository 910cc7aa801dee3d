// The globals are there, can be replaced, and look as on the web.
import { deepEqual, equal, ok, throws } from './assert.mjs';

equal(self, globalThis);
ok(navigator.hardwareConcurrency >= 1);
ok(/^fino\/\d/.test(navigator.userAgent));
throws(() => new Navigator(), TypeError);
equal(Object.prototype.toString.call(console), '[object console]');
deepEqual(Object.getOwnPropertyDescriptor(globalThis, 'URL').enumerable, false);
const real = globalThis.TextEncoder;
globalThis.TextEncoder = 5;
equal(TextEncoder, 5);
globalThis.TextEncoder = real;
globalThis.URLSearchParams = 'replaced before its first use';
equal(URLSearchParams, 'replaced before its first use');
for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate',
  'queueMicrotask', 'structuredClone', 'atob', 'btoa', 'reportError']) {
  equal(typeof globalThis[name], 'function', name);
  equal(globalThis[name].name, name);
}
const { log, error } = console;
equal(typeof log, 'function');
equal(typeof error, 'function');
