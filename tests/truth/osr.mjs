// TRUTH: one=25 two=75
// Everything inlined into one call of one function: it is replaced on the stack while it runs.
function one() { let s = 0; for (let i = 0; i < 250; i++) { s = Math.sqrt(s + i); } return s; }
function two() { let s = 0; for (let i = 0; i < 750; i++) { s = Math.sqrt(s + i); } return s; }
let t = 0;
for (let k = 0; k < 250000; k++) { t += one() + two(); }
console.log(t > 0);
