// TRUTH: light=20 heavy=80
import { A } from './work.mjs';
class Lazy {
  get light() { let s = 0; for (let i = 0; i < 200; i++) { s += A[i] * 1.0000001; } return s; }
  get heavy() { let s = 0; for (let i = 0; i < 800; i++) { s += A[i] * 1.0000002; } return s; }
}
function main() { const o = new Lazy(); let t = 0; for (let k = 0; k < 2500000; k++) { t += o.light + o.heavy; } return t; }
console.log(main() > 0);
