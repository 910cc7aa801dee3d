// AbortSignal.timeout aborts with a TimeoutError, and does not keep the process alive.
import { equal, ok, throws } from './assert.mjs';

const signal = AbortSignal.timeout(5);
signal.addEventListener('abort', () => equal(signal.reason.name, 'TimeoutError'));
setTimeout(() => ok(signal.aborted), 50);
AbortSignal.timeout(1e9);
throws(() => AbortSignal.timeout(-1), TypeError);
throws(() => AbortSignal.timeout(), TypeError);
