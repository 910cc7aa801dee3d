// An unreferenced timer does not keep the process alive; ref() takes that back. (If it did, this would run into its time limit.)
import process from 'fino:process';
import { equal } from './assert.mjs';

const timer = setTimeout(() => { throw new Error('nobody waited for this'); }, 1e6);
equal(timer.hasRef(), true);
equal(timer.unref(), timer);
equal(timer.hasRef(), false);
setInterval(() => {}, 1e6).unref();
setImmediate(() => {}).unref();

let ran = false;
setTimeout(() => { ran = true; }, 5).unref().ref();
process.on('exit', () => equal(ran, true));
