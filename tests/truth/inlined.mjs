// TRUTH: la=10 lb=30 lc=60
// Three loops, inlined into mid, outer and main.
const A = new Float64Array(1000);
for (let i = 0; i < 1000; i++) A[i] = i + 0.5;
function la(arr, n) { let s = 0; for (let i = 0; i < n; i++) { s += arr[i] * 1.0000001; } return s; }
function lb(arr, n) { let s = 0; for (let i = 0; i < n; i++) { s += arr[i] * 1.0000002; } return s; }
function lc(arr, n) { let s = 0; for (let i = 0; i < n; i++) { s += arr[i] * 1.0000003; } return s; }
function mid(arr) { return la(arr, 100) + lb(arr, 300); }
function outer(arr) { return mid(arr) + lc(arr, 600); }
function main() { let t = 0; for (let k = 0; k < 3000000; k++) { t += outer(A); } return t; }
console.log(main() > 0);
