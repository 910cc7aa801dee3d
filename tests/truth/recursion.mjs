// TRUTH: even=33.3 odd=66.7
// Mutual recursion, partly inlined into itself.
function even(d) { let s = 0; for (let i = 0; i < 2500; i++) { s = Math.sqrt(s + i); } return d === 0 ? s : s + odd(d - 1); }
function odd(d) { let s = 0; for (let i = 0; i < 5000; i++) { s = Math.sqrt(s + i); } return d === 0 ? s : s + even(d - 1); }
function main() { let t = 0; for (let k = 0; k < 10000; k++) { t += even(5); } return t; }
console.log(main() > 0);
