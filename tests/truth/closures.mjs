// TRUTH: small=25 large=75
function makeSmall(n) { return function small() { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }; }
function makeLarge(n) { return function large() { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }; }
function main() {
  const small = makeSmall(2500), large = makeLarge(7500);
  let t = 0;
  for (let k = 0; k < 25000; k++) { t += small() + large(); }
  return t;
}
console.log(main() > 0);
