// Runs the program named by the first argument under fino, with a recording of its own, which goes to the file named by the
// second, and says on stderr how much CPU time was used meanwhile: by this thread, and by the whole process.
import { DiskFileSystem } from 'fino:file';
import { startProfiling, stopProfiling } from 'fino:profiler';
import { args, cpuUsage, threadCpuUsage } from 'fino:process';

const nanoseconds = ({ user, system }) => Math.round((user + system) * 1000);
startProfiling('program', { interval: 1 });
const thread = threadCpuUsage(), process = cpuUsage();
await import(args[0]);
const used = { process: cpuUsage(process), thread: threadCpuUsage(thread) };
const profile = stopProfiling('program');
await new DiskFileSystem().writeFile(args[1], profile);
console.error(`thread_cpu_ns ${nanoseconds(used.thread)}\nprocess_cpu_ns ${nanoseconds(used.process)}`);
