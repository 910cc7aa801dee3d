// TRUTH: source=40 sink=60
function* source(count) {
  for (let k = 0; k < count; k++) { let s = 0; for (let i = 0; i < 4000; i++) { s = Math.sqrt(s + i); } yield s; }
}
function sink(x) { let s = x * 1; for (let i = 0; i < 6000; i++) { s = Math.sqrt(s + i); } return s; }
function main() { let t = 0; for (const x of source(25000)) { t += sink(x); } return t; }
console.log(main() > 0);
