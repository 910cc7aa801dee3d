// mix.mjs TOTAL_MS US...: up to three functions take turns, each for so many microseconds of CPU time.
import { args, takeTurns } from './clock.mjs';
function first(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function second(n) { let s = 1; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
function third(n) { let s = 2; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
const [totalMs, ...us] = args.map(Number);
takeTurns([first, second, third].slice(0, us.length).map((run, i) => ({ run, us: us[i] })), totalMs * 1000);
