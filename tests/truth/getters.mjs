// TRUTH: light=20 heavy=80
class Lazy {
  get light() { let s = 0; for (let i = 0; i < 2000; i++) { s = Math.sqrt(s + i); } return s; }
  get heavy() { let s = 0; for (let i = 0; i < 8000; i++) { s = Math.sqrt(s + i); } return s; }
}
function main() { const o = new Lazy(); let t = 0; for (let k = 0; k < 25000; k++) { t += o.light + o.heavy; } return t; }
console.log(main() > 0);
