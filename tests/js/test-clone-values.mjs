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
throws(() => structuredClone(), TypeError);
throws(() => structuredClone(1, 5), TypeError);
