// refresh() starts a timer's time anew, and sets one that has run again.
import { equal, ok } from './assert.mjs';

const start = performance.now();
let runs = 0;
const timer = setTimeout(() => {
  runs++;
  if (runs === 1) {
    ok(performance.now() - start >= 45, 'it waited for its whole time after the refresh');
    timer.refresh();
  }
}, 30);
setTimeout(() => timer.refresh(), 15);
setTimeout(() => equal(runs, 2), 150);
