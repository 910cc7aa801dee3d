// TRUTH: measured
// Each round gives the callee a kind of value that it wasn't compiled for; it comes back optimised each time. What a step
// costs differs then, so the program times itself.
function steady(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function shaky(n, f) { let s = f.k * 1; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
const spent = { steady: 0, shaky: 0 };
function round(f, count) {
  for (let k = 0; k < count; k++) {
    const start = performance.now();
    steady(8000);
    const middle = performance.now();
    shaky(12000, f);
    spent.steady += middle - start;
    spent.shaky += performance.now() - middle;
  }
}
const kinds = [{ k: 1 }, { k: 1.5 }, { j: 0, k: 2 }, { i: 0, k: 3 }, { h: 0, k: 2.5 }, { g: 0, g2: 0, k: 7 }];
for (let r = 0; r < 24; r++) round(kinds[r % kinds.length], 500);
const percent = (name) => `${name}=${(100 * spent[name] / (spent.steady + spent.shaky)).toFixed(1)}`;
console.log('measured:', percent('steady'), percent('shaky'));
