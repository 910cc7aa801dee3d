// TRUTH: light=20 heavy=80
class Lazy {
  get light() { let s = 0; for (let i = 0; i < 200; i++) { s = Math.sqrt(s + i); } return s; }
  get heavy() { let s = 0; for (let i = 0; i < 800; i++) { s = Math.sqrt(s + i); } return s; }
}
function main() { const o = new Lazy(); let t = 0; for (let k = 0; k < 250000; k++) { t += o.light + o.heavy; } return t; }
console.log(main() > 0);
