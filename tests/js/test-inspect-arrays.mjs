// Arrays: holes, extra properties, more than a hundred items, columns.
import { equal, inspect } from './assert.mjs';

equal(inspect([1, 'a', null]), "[ 1, 'a', null ]");
equal(inspect([, , 3]), '[ <2 empty items>, 3 ]');
equal(inspect(new Array(3)), '[ <3 empty items> ]');
equal(inspect([1, , 2]), '[ 1, <1 empty item>, 2 ]');
equal(inspect(Object.assign([1], { x: 2, [-1]: 3 })), "[ 1, x: 2, '-1': 3 ]");
equal(inspect([1, 2, 3, 4, 5, 6, 7]), '[\n  1, 2, 3, 4,\n  5, 6, 7\n]');
equal(inspect([1, 22, 333, 4, 5, 6, 7]), '[\n  1, 22, 333, 4,\n  5,  6,   7\n]');
equal(inspect(['a', 'bb', 'ccc', 'd', 'e', 'f', 'g']), "[\n  'a', 'bb', 'ccc',\n  'd', 'e',  'f',\n  'g'\n]");
const lines = inspect(Array.from({ length: 101 }, (_, i) => i)).split('\n');
equal(lines.at(-2), '  ... 1 more item');
equal(lines[1], '   0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11,');
const big = [];
big[2 ** 32 - 2] = 1;
equal(inspect(big), '[ <4294967294 empty items>, 1 ]');
class Stack extends Array {}
equal(inspect(Stack.of(1, 2)), 'Stack(2) [ 1, 2 ]');
equal(inspect(new Uint8Array(3)), 'Uint8Array(3) [ 0, 0, 0 ]');
equal(inspect(new BigInt64Array(1)), 'BigInt64Array(1) [ 0n ]');
