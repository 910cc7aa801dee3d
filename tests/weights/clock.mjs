// What the programs here share: the clock that they time themselves by, and the turns that their functions take.
let usage, words;
try {
  ({ threadCpuUsage: usage, args: words } = await import('fino:process'));
} catch { // Node 20 has no clock of the thread: the process's will do
  usage = process.threadCpuUsage?.bind(process) ?? process.cpuUsage.bind(process);
  words = process.argv.slice(2);
}
export const args = words;

export function cpuUs() { const { user, system } = usage(); return user + system; }

// Calls the functions in turn until TOTAL_US of CPU time are used, and says what share each really had. WORKS: { run, us };
// RUN takes a number of steps, which is fitted to last US each time.
export function takeTurns(works, totalUs) {
  for (const work of works) Object.assign(work, { steps: 1000, usedUs: 0 });
  for (const until = cpuUs() + totalUs; cpuUs() < until;) {
    for (const work of works) {
      const began = cpuUs();
      work.run(work.steps);
      const tookUs = cpuUs() - began;
      work.usedUs += tookUs;
      work.steps = Math.ceil(work.steps * Math.min(Math.max(work.us / (tookUs + 1), 0.9), 1.1));
    }
  }
  const sum = works.reduce((all, { usedUs }) => all + usedUs, 0);
  console.log('measured:', ...works.map(({ run, usedUs }) => `${run.name}=${(100 * usedUs / sum).toFixed(2)}`));
}
