// Runs the program named by the first argument under fino and says on stderr how much CPU time its thread used for it.
import { args, threadCpuUsage } from 'fino:process';

const before = threadCpuUsage();
await import(args[0]);
const used = threadCpuUsage(before);
console.error(`thread_cpu_ns ${Math.round((used.user + used.system) * 1000)}`);
