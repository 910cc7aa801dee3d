// AbortController: the reason, listeners once, onabort, throwIfAborted.
import { deepEqual, equal, ok, throws } from './assert.mjs';

const controller = new AbortController();
const { signal } = controller;
equal(signal.aborted, false);
equal(signal.reason, undefined);
signal.throwIfAborted();
const seen = [];
signal.onabort = (event) => seen.push(event.type, event.isTrusted);
signal.addEventListener('abort', () => seen.push(signal.aborted));
controller.abort();
controller.abort('again');
deepEqual(seen, ['abort', true, true]);
ok(signal.reason instanceof DOMException);
equal(signal.reason.name, 'AbortError');
throws(() => signal.throwIfAborted(), { name: 'AbortError' });
const custom = AbortSignal.abort('why');
equal(custom.reason, 'why');
throws(() => new AbortSignal(), TypeError);
throws(() => AbortController.prototype.abort.call({}), TypeError);
