// TRUTH: risky=45 careful=55
// Inlined through try, catch and finally; one call in 1,024 throws.
import { A } from './work.mjs';
function risky(n, k) { let s = 0; for (let i = 0; i < n; i++) { s += A[i] * 1.0000001; } if ((k & 1023) === 0) throw s; return s; }
function careful(n, k) {
  let s = 0;
  try { s = risky(450, k); } catch (e) { s = e; } finally { for (let i = 0; i < n; i++) { s += A[i] * 1.0000002; } }
  return s;
}
function main() { let t = 0; for (let k = 0; k < 2400000; k++) { t += careful(550, k); } return t; }
console.log(main() > 0);
