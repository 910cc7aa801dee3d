// TRUTH: first=15 second=35 third=50
import { A } from './work.mjs';
class Worker {
  constructor(a) { this.a = a; }
  first(n) { let s = 0; for (let i = 0; i < n; i++) { s += this.a[i] * 1.0000001; } return s; }
  second(n) { let s = 0; for (let i = 0; i < n; i++) { s += this.a[i] * 1.0000002; } return s; }
  third(n) { let s = 0; for (let i = 0; i < n; i++) { s += this.a[i] * 1.0000003; } return s; }
  all() { return this.first(150) + this.second(350) + this.third(500); }
}
function main() { const w = new Worker(A); let t = 0; for (let k = 0; k < 2500000; k++) { t += w.all(); } return t; }
console.log(main() > 0);
