// Signals, beforeExit and exit, once and off.
import process from 'fino:process';
import { deepEqual, throws } from './assert.mjs';

const seen = [];
const never = () => { throw new Error('it was removed'); };
process.on('SIGUSR2', never);
process.off('SIGUSR2', never);
process.once('SIGUSR2', (name, number) => seen.push(name, number));
process.kill(process.pid, 'SIGUSR2');
setTimeout(() => process.off('SIGTERM', never), 20);
process.on('SIGTERM', never);
process.once('beforeExit', (code) => {
  seen.push('beforeExit', code);
  setTimeout(() => seen.push('after beforeExit'), 1);
});
process.on('exit', (code) => {
  deepEqual(seen, ['SIGUSR2', 12, 'beforeExit', 0, 'after beforeExit']);
  if (code !== 0) throw new Error(`the code is ${code}`);
});
throws(() => process.on('nonsense', () => {}), /no such event/);
throws(() => process.on('exit', 5), TypeError);
throws(() => process.on('SIGKILL', () => {}), Error);
