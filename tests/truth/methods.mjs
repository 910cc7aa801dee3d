// TRUTH: first=15 second=35 third=50
class Worker {
  first(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
  second(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
  third(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
  all() { return this.first(1500) + this.second(3500) + this.third(5000); }
}
function main() { const w = new Worker(); let t = 0; for (let k = 0; k < 25000; k++) { t += w.all(); } return t; }
console.log(main() > 0);
