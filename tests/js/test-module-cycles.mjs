// Modules that import each other: functions are there at once, bindings are live, early use is a ReferenceError.
import { equal } from './assert.mjs';
import { a, result } from '../fixtures/modules/cycle_a.mjs';
import { tdz } from '../fixtures/modules/cycle_b.mjs';

equal(a(), 'ab');
equal(result, 'ab');
equal(tdz, 'ReferenceError');
