// TRUTH: base=20 middle=30 leaf=50
// Calls up a class hierarchy through super.
import { A } from './work.mjs';
class Base { base(n) { let s = 0; for (let i = 0; i < n; i++) { s += A[i] * 1.0000001; } return s; } }
class Middle extends Base { middle(n) { let s = super.base(200); for (let i = 0; i < n; i++) { s += A[i] * 1.0000002; } return s; } }
class Leaf extends Middle { leaf(n) { let s = super.middle(300); for (let i = 0; i < n; i++) { s += A[i] * 1.0000003; } return s; } }
function main() { const o = new Leaf(); let t = 0; for (let k = 0; k < 2500000; k++) { t += o.leaf(500); } return t; }
console.log(main() > 0);
