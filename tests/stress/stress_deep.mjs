// Stacks that run into their limit, in every tier and through native frames.
// V8: --stress-scavenge=80
import { args } from 'fino:process';

function expectOverflow(action) {
  try { action(); } catch (error) { if (error instanceof RangeError || error instanceof SyntaxError) return; throw error; } // calls *
  throw new Error('no overflow');
}
function plain(n) { return plain(n + 1) + 1; }
function wide(a, b, c, d, e, f, g, h) { const all = [a, b, c, d, e, f, g, h]; return wide(...all) + all.length; }
const cyclic = { toJSON() { return JSON.stringify([cyclic]); } }; // calls toJSON
function stringify() { JSON.stringify(cyclic); } // calls toJSON
function compare() { return [2, 1].sort(compare).length; }
const text = { toString() { return `${text}`; } }; // calls toString
function concat() { return `${text}`; } // calls toString
const endless = { get again() { return this.again; } }; // calls get again
function getAgain() { return endless.again; } // calls get again
function replacer() { return 'a'.replace(/a/, replacer); }
class Same { constructor() { return new Same(); } }
function constructSame() { return new Same(); }
function bounded(n) { return n === 0 ? 0 : bounded(n - 1) + 1; }
function parseDeep() { return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)) && plain(0); }
function evalDeep() { return eval('('.repeat(20000)); }
const all = [() => plain(0), () => wide(1, 2, 3, 4, 5, 6, 7, 8), stringify, compare, concat, getAgain, replacer, constructSame,
  parseDeep, evalDeep];
function round() {
  for (const action of all) expectOverflow(action);
  for (let depth = 100; depth < 6000; depth += 700) bounded(depth);
}
const end = Date.now() + Number(args[0]) * 1000;
while (Date.now() < end) round();
