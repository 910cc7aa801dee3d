// TRUTH: circle=10 square=20 ring=30 star=40
// One call site, four shapes.
function circle() { let s = 0; for (let i = 0; i < 1000; i++) { s = Math.sqrt(s + i); } return s; }
function square() { let s = 0; for (let i = 0; i < 2000; i++) { s = Math.sqrt(s + i); } return s; }
function ring() { let s = 0; for (let i = 0; i < 3000; i++) { s = Math.sqrt(s + i); } return s; }
function star() { let s = 0; for (let i = 0; i < 4000; i++) { s = Math.sqrt(s + i); } return s; }
const shapes = [
  { c: 1, area: circle }, { s: 1, q: 2, area: square },
  { r: 1, i: 2, n: 3, area: ring }, { z: 0, t: 1, a: 2, area: star },
];
function total(all) { let t = 0; for (let i = 0; i < all.length; i++) { t += all[i].area(); } return t; }
function main() { let t = 0; for (let k = 0; k < 25000; k++) { t += total(shapes); } return t; }
console.log(main() > 0);
