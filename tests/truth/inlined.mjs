// TRUTH: la=10 lb=30 lc=60
// Three loops, inlined into mid, outer and main.
function la(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function lb(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function lc(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function mid() { return la(1000) + lb(3000); }
function outer() { return mid() + lc(6000); }
function main() { let t = 0; for (let k = 0; k < 25000; k++) { t += outer(); } return t; }
console.log(main() > 0);
