// TRUTH: one=25 two=75
// Everything inlined into one call of one function: it is replaced on the stack while it runs.
function one() { let s = 0; for (let i = 0; i < 2500; i++) { s = Math.sqrt(s + i); } return s; }
function two() { let s = 0; for (let i = 0; i < 7500; i++) { s = Math.sqrt(s + i); } return s; }
let t = 0;
for (let k = 0; k < 25000; k++) { t += one() + two(); }
console.log(t > 0);
