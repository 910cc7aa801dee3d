// Map, Set, their iterators, weak collections, promises, buffers, dates, regular expressions, boxed primitives, generators.
import { equal, inspect } from './assert.mjs';

equal(inspect(new Map([['a', { b: 1 }]])), "Map(1) { 'a' => { b: 1 } }");
equal(inspect(new Set([1, 'x'])), "Set(2) { 1, 'x' }");
equal(inspect(new Map([[1, 2]]).entries()), '[Map Entries] { [ 1, 2 ] }');
equal(inspect(new Map([[1, 2]]).keys()), '[Map Iterator] { 1 }');
equal(inspect(new Set([1]).values()), '[Set Iterator] { 1 }');
equal(inspect(new WeakMap()), 'WeakMap { <items unknown> }');
equal(inspect(new WeakSet()), 'WeakSet { <items unknown> }');
equal(inspect(Promise.resolve(4)), 'Promise { 4 }');
equal(inspect(new Promise(() => {})), 'Promise { <pending> }');
const rejected = Promise.reject(3);
rejected.catch(() => {});
equal(inspect(rejected), 'Promise { <rejected> 3 }');
equal(inspect(new ArrayBuffer(3)), 'ArrayBuffer { [Uint8Contents]: <00 00 00>, byteLength: 3 }');
equal(inspect(new DataView(new ArrayBuffer(1))),
  'DataView {\n  byteLength: 1,\n  byteOffset: 0,\n  buffer: ArrayBuffer { [Uint8Contents]: <00>, byteLength: 1 }\n}');
equal(inspect(new Date(0)), '1970-01-01T00:00:00.000Z');
equal(inspect(new Date(NaN)), 'Invalid Date');
equal(inspect(/a\/b/gi), '/a\\/b/gi');
equal(inspect(new Number(-0)), '[Number: -0]');
equal(inspect(new String('abc')), "[String: 'abc']");
equal(inspect(Object(1n)), '[BigInt: 1n]');
equal(inspect((function* () {})()), 'Object [Generator] {}');
equal(inspect((function () { return arguments; })(1)), "[Arguments] { '0': 1 }");
