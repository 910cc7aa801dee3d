// structuredClone: kinds of values, cycles, transfer, what cannot be cloned.
import { deepEqual, equal, ok, throws } from './assert.mjs';

const value = {
  date: new Date(5), re: /x/gi, map: new Map([[1, { a: 1 }]]), set: new Set([1]), list: [1, , 3], big: 5n, bytes: new Uint8Array(3),
  nothing: undefined, nan: NaN, boxed: new String('s'),
};
value.self = value;
const copy = structuredClone(value);
equal(copy.self, copy);
equal(copy.date.getTime(), 5);
equal(String(copy.re), '/x/gi');
deepEqual(copy.map, value.map);
deepEqual(copy.bytes, value.bytes);
ok(!(1 in copy.list));
ok(copy.map !== value.map);
const error = structuredClone(new RangeError('m'));
ok(error instanceof RangeError);
equal(error.message, 'm');

const buffer = new ArrayBuffer(8);
const moved = structuredClone({ buffer }, { transfer: [buffer] }).buffer;
equal(moved.byteLength, 8);
equal(buffer.byteLength, 0);
throws(() => structuredClone(() => {}), { name: 'DataCloneError', code: 25 });
throws(() => structuredClone(Symbol('s')), { name: 'DataCloneError' });
throws(() => structuredClone(1, { transfer: [{}] }), { name: 'DataCloneError' });
const other = new ArrayBuffer(1);
throws(() => structuredClone(1, { transfer: [other, other] }), { name: 'DataCloneError' });
throws(() => structuredClone(new MessageChannel().port1), { name: 'DataCloneError' });

// What is shared stays shared, once each; the copy of a view is one of the copy of its buffer.
const memory = new SharedArrayBuffer(8);
const shared = structuredClone({ first: memory, second: memory, view: new Int32Array(memory) });
new Int32Array(shared.first)[0] = 7;
deepEqual([new Int32Array(memory)[0], shared.view[0], shared.first === shared.second], [7, 7, true]);
const module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
const modules = structuredClone([module, module]);
deepEqual([modules[0] instanceof WebAssembly.Module, modules[0] === modules[1]], [true, true]);

throws(() => structuredClone(), TypeError);
throws(() => structuredClone(1, 5), TypeError);
