// SIGPROF, which profilers take, is refused: what, why and what to do instead. Signals that cannot be handled are refused
// by the system; others are the program's, also while it is recorded.
import process from 'fino:process';
import { startProfiling, stopProfiling } from 'fino:profiler';
import { equal, throws } from './assert.mjs';

for (const add of ['on', 'once']) {
  throws(() => process[add]('SIGPROF', () => {}), /SIGPROF cannot be handled: .* profilers.*; use SIGUSR1/);
}
for (const name of ['SIGKILL', 'SIGSTOP', 'SIGSEGV']) throws(() => process.on(name, () => {}), /EINVAL/);

let came = 0;
process.on('SIGUSR2', () => { came++; });
startProfiling();
process.kill(process.pid, 'SIGUSR2');
await new Promise((resolve) => setTimeout(resolve, 50));
stopProfiling();
equal(came, 1);
