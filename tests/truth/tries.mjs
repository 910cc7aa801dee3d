// TRUTH: risky=45 careful=55
// Inlined through try, catch and finally; one call in 1,024 throws.
function risky(n, k) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } if ((k & 1023) === 0) throw s; return s; }
function careful(n, k) {
  let s = 0;
  try { s = risky(4500, k); } catch (e) { s = e; } finally { for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } }
  return s;
}
function main() { let t = 0; for (let k = 0; k < 25000; k++) { t += careful(5500, k); } return t; }
console.log(main() > 0);
