// TRUTH: mapper=30 reducer=70
// Arrows given to array builtins, which the optimising compiler inlines too.
const items = [1, 2, 3, 4];
const mapper = (x) => { let s = x * 1; for (let i = 0; i < 3000; i++) { s = Math.sqrt(s + i); } return s; };
const reducer = (sum, x) => { let s = x * 1; for (let i = 0; i < 7000; i++) { s = Math.sqrt(s + i); } return sum + s; };
function main() { let t = 0; for (let k = 0; k < 6000; k++) { t += items.map(mapper).reduce(reducer, 0); } return t; }
console.log(main() > 0);
