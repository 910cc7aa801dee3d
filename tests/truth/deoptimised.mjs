// TRUTH: steady=40 shaky=60
// Each round gives the callee a kind of value that it wasn't compiled for; it comes back optimised each time.
function steady(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function shaky(n, f) { let s = f.k; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function round(f, count) { let t = 0; for (let k = 0; k < count; k++) { t += steady(400) + shaky(600, f); } return t; }
function main() {
  let t = 0;
  const kinds = [{ k: 1 }, { k: 1.5 }, { j: 0, k: 2 }, { i: 0, k: 3 }, { h: 0, k: 2.5 }, { g: 0, g2: 0, k: 7 }];
  for (let r = 0; r < 24; r++) { t += round(kinds[r % kinds.length], 10000); }
  return t;
}
console.log(main() > 0);
