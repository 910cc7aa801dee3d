// TRUTH: fetchOne=35 handle=65
async function fetchOne() { let s = 0; for (let i = 0; i < 3500; i++) { s = Math.sqrt(s + i); } return s; }
async function handle() { const x = await fetchOne(); let s = x * 1; for (let i = 0; i < 6500; i++) { s = Math.sqrt(s + i); } return s; }
async function main() { let t = 0; for (let k = 0; k < 25000; k++) { t += await handle(); } return t; }
console.log(await main() > 0);
