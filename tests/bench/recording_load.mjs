// What recordings of typescript.js at work cost the thread that starts and stops them: the first one of a process, then five
// more, of RECORDING_MS each. Wall and thread CPU time, in ms. Run by recording.sh.
import { startProfiling, stopProfiling } from 'fino:profiler';
import process from 'fino:process';
import ts from '../../build/programs/typescript.mjs';
import text from '../../build/programs/typescript_text.mjs';

const WARM_UP_MS = 500;
const workMs = Number(process.env.RECORDING_MS);
const piece = text.slice(0, 30000);
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
const workFor = (ms) => {
  const began = nowMs();
  do ts.transpileModule(piece, { compilerOptions: { target: ts.ScriptTarget.ES5 } });
  while (nowMs() - began < ms);
};
const time = (what) => {
  const began = nowMs(), before = process.threadCpuUsage();
  what();
  const used = process.threadCpuUsage(before);
  return `${(nowMs() - began).toFixed(2)} (CPU ${((used.user + used.system) / 1000).toFixed(2)})`;
};
workFor(WARM_UP_MS);
for (let i = 0; i < 6; i++) {
  const start = time(() => startProfiling());
  workFor(workMs);
  console.log(`${workMs} ms of typescript.js, recording ${i + 1}: start ${start}, stop ${time(() => stopProfiling())}`);
}
