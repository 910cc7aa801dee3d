// calls.mjs TOTAL_MS: half of the time in system calls, writing nothing to standard error.
import { args, takeTurns } from './clock.mjs';
const { default: process } = await import(globalThis.process ? 'node:process' : 'fino:process');
const line = new Uint8Array(1 << 16);
function calls(n) { for (let i = 0; i < n; i += 1000) process.stderr.write(line); }
function compute(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
takeTurns([{ run: calls, us: 2000 }, { run: compute, us: 2000 }], Number(args[0]) * 1000);
