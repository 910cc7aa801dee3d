// A structure too deep for the stack is cut, not a crash.
import { inspect, ok } from './assert.mjs';

let deep = {};
for (let i = 0; i < 100000; i++) deep = { deep };
const text = inspect(deep, { depth: Infinity });
ok(text.includes('Inspection interrupted prematurely. Maximum call stack size exceeded.'));
