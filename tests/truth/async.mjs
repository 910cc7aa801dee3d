// TRUTH: fetchOne=35 handle=65
import { A } from './work.mjs';
async function fetchOne() { let s = 0; for (let i = 0; i < 3500; i++) { s += A[i % 1000] * 1.0000001; } return s; }
async function handle() { const x = await fetchOne(); let s = x; for (let i = 0; i < 6500; i++) { s += A[i % 1000] * 1.0000001; } return s; }
async function main() { let t = 0; for (let k = 0; k < 90000; k++) { t += await handle(); } return t; }
console.log(await main() > 0);
