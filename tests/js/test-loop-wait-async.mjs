// Atomics.waitAsync at the top level: its time-out and its notification both arrive.
import { equal } from './assert.mjs';

const cells = new Int32Array(new SharedArrayBuffer(8));
equal(await Atomics.waitAsync(cells, 0, 0, 20).value, 'timed-out');
const waiting = Atomics.waitAsync(cells, 0, 0);
setTimeout(() => Atomics.notify(cells, 0), 5);
equal(await waiting.value, 'ok');
