// A cleared timer does not run: cleared by object, by number, by string, from another callback, by clearInterval, by close().
import { equal } from './assert.mjs';

const never = () => { throw new Error('a cleared timer ran'); };
clearTimeout(setTimeout(never, 1));
clearTimeout(+setTimeout(never, 1));
clearTimeout(`${+setTimeout(never, 1)}`);
clearInterval(setTimeout(never, 1));
clearTimeout(setInterval(never, 1));
clearImmediate(setImmediate(never));
setTimeout(never, 1).close();
setTimeout(() => clearTimeout(second), 1);
const second = setTimeout(never, 1);
setImmediate(() => clearImmediate(next));
const next = setImmediate(never);
for (const odd of [undefined, null, {}, 'x', 99999, NaN, Symbol.iterator]) clearTimeout(odd);

let count = 0;
const interval = setInterval(() => {
  if (++count === 3) clearInterval(interval);
}, 1);
setTimeout(() => equal(count, 3), 50);
