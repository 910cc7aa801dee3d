// `using` where TypeScript's own lowering goes wrong (labels before a for), and errors that are kept.
import { deepEqual, equal, throws } from './assert.mjs';

const closed: string[] = [];
const open = (name: string) => ({ name, [Symbol.dispose]() { closed.push(name); } });

let rounds = 0;
first: second: for (using r = open('for'); rounds < 3; rounds++) {
  if (rounds === 0) continue second;
  if (rounds === 1) continue first;
}
equal(rounds, 3);
deepEqual(closed, ['for']);

closed.length = 0;
outer: switch (1 as number) { case 1: using s = open('switch'); if (s) break outer; }
deepEqual(closed, ['switch']);

throws(() => { using a = {} as Disposable; }, TypeError);
throws(() => { using a = 1 as unknown as Disposable; }, TypeError);

closed.length = 0;
{
  using stack = new DisposableStack();
  stack.use(open('used'));
  await using later = new AsyncDisposableStack();
  later.defer(async () => { closed.push('later'); });
  using numbers = (function* () { try { yield 1; } finally { closed.push('generator'); } })();
  numbers.next();
}
deepEqual(closed, ['generator', 'later', 'used']);

const error = new SuppressedError(1, 2, 'both');
deepEqual([error.error, error.suppressed, error.message, error.name], [1, 2, 'both', 'SuppressedError']);
