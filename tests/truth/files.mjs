// TRUTH: far=20 farther=50 near=30
// Inlined over files.
import { far, farther } from './work.mjs';
function near(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function both() { return far(2000) + farther(5000); }
function main() { let t = 0; for (let k = 0; k < 25000; k++) { t += both() + near(3000); } return t; }
console.log(main() > 0);
