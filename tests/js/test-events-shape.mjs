// The classes have the shape that WebIDL gives them.
import { deepEqual, equal, ok } from './assert.mjs';

for (const name of ['Event', 'EventTarget', 'CustomEvent', 'AbortSignal', 'AbortController', 'URL', 'URLSearchParams',
  'TextEncoder', 'TextDecoder', 'DOMException', 'Performance', 'ErrorEvent', 'PromiseRejectionEvent', 'Navigator']) {
  const Class = globalThis[name];
  equal(Object.getOwnPropertyDescriptor(globalThis, name).enumerable, false, name);
  equal(Class.name, name);
  equal(Class.prototype[Symbol.toStringTag], name);
  for (const key of Object.getOwnPropertyNames(Class.prototype)) {
    if (key !== 'constructor') ok(Object.getOwnPropertyDescriptor(Class.prototype, key).enumerable, `${name}.${key}`);
  }
}
equal(Object.prototype.toString.call(new Event('x')), '[object Event]');
equal(EventTarget.prototype.addEventListener.length, 2);
equal(new ErrorEvent('error', { message: 'm', lineno: 3, error: 1 }).lineno, 3);
const promise = Promise.resolve();
equal(new PromiseRejectionEvent('r', { promise, reason: 2 }).promise, promise);
deepEqual([Event.NONE, Event.CAPTURING_PHASE, Event.AT_TARGET, Event.BUBBLING_PHASE], [0, 1, 2, 3]);
