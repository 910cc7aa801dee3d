// TRUTH: small=25 large=75
import { A } from './work.mjs';
function makeSmall(n, f) { return function small() { let s = 0; for (let i = 0; i < n; i++) { s += A[i] * f; } return s; }; }
function makeLarge(n, f) { return function large() { let s = 0; for (let i = 0; i < n; i++) { s += A[i] * f; } return s; }; }
function main() {
  const small = makeSmall(250, 1.0000001), large = makeLarge(750, 1.0000002);
  let t = 0;
  for (let k = 0; k < 2500000; k++) { t += small() + large(); }
  return t;
}
console.log(main() > 0);
