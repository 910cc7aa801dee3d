// TRUTH: base=20 middle=30 leaf=50
// Calls up a class hierarchy through super.
class Base { base(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; } }
class Middle extends Base { middle(n) { let s = super.base(2000); for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; } }
class Leaf extends Middle { leaf(n) { let s = super.middle(3000); for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; } }
function main() { const o = new Leaf(); let t = 0; for (let k = 0; k < 25000; k++) { t += o.leaf(5000); } return t; }
console.log(main() > 0);
