// TRUTH: circle=10 square=20 ring=30 star=40
// One call site, four shapes.
import { A } from './work.mjs';
function circle() { let s = 0; for (let i = 0; i < 100; i++) { s += A[i] * this.f; } return s; }
function square() { let s = 0; for (let i = 0; i < 200; i++) { s += A[i] * this.f; } return s; }
function ring() { let s = 0; for (let i = 0; i < 300; i++) { s += A[i] * this.f; } return s; }
function star() { let s = 0; for (let i = 0; i < 400; i++) { s += A[i] * this.f; } return s; }
const shapes = [
  { c: 1, f: 1.0000001, area: circle }, { s: 1, q: 2, f: 1.0000002, area: square },
  { r: 1, i: 2, n: 3, f: 1.0000003, area: ring }, { z: 0, f: 1.0000004, t: 1, a: 2, area: star },
];
function total(all) { let t = 0; for (let i = 0; i < all.length; i++) { t += all[i].area(); } return t; }
function main() { let t = 0; for (let k = 0; k < 2500000; k++) { t += total(shapes); } return t; }
console.log(main() > 0);
