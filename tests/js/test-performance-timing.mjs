// performance: the clock, marks and measures.
import { deepEqual, equal, ok, throws } from './assert.mjs';

const before = performance.now();
ok(before > 0);
ok(performance.now() >= before);
ok(Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000);
const mark = performance.mark('a', { detail: { x: 1 }, startTime: 5 });
ok(mark instanceof PerformanceMark && mark instanceof PerformanceEntry);
deepEqual(mark.toJSON(), { name: 'a', entryType: 'mark', startTime: 5, duration: 0 });
deepEqual(mark.detail, { x: 1 });
performance.mark('b', { startTime: 3 });
const measure = performance.measure('m', 'b', 'a');
equal(measure.duration, 2);
equal(performance.measure('n', { start: 1, duration: 4 }).duration, 4);
ok(performance.measure('o').duration > 0);
deepEqual(performance.getEntriesByType('mark').map((entry) => entry.name), ['b', 'a']);
equal(performance.getEntriesByName('m').length, 1);
performance.clearMarks('a');
performance.clearMeasures();
deepEqual(performance.getEntries().map((entry) => entry.name), ['b']);
throws(() => performance.measure('x', 'missing'), { name: 'SyntaxError' });
throws(() => performance.mark(), TypeError);
throws(() => performance.mark('n', { startTime: -1 }), TypeError);
throws(() => new PerformanceEntry(), TypeError);
equal(JSON.stringify(performance), `{"timeOrigin":${performance.timeOrigin}}`);
