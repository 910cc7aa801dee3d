// TRUTH: one=25 two=75
// Everything inlined into one call of one function: it is replaced on the stack while it runs.
import { A } from './work.mjs';
function one() { let s = 0; for (let i = 0; i < 250; i++) { s += A[i] * 1.0000001; } return s; }
function two() { let s = 0; for (let i = 0; i < 750; i++) { s += A[i] * 1.0000002; } return s; }
let t = 0;
for (let k = 0; k < 2500000; k++) { t += one() + two(); }
console.log(t > 0);
