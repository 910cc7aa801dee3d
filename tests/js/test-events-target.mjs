// EventTarget: capture first, once, passive, removal while dispatching, handleEvent, signal, stopping.
import { deepEqual, equal, throws } from './assert.mjs';

const target = new EventTarget();
const seen = [];
target.addEventListener('x', () => seen.push('bubble'));
target.addEventListener('x', () => seen.push('capture'), true);
target.addEventListener('x', () => seen.push('once'), { once: true });
const object = { handleEvent(event) { seen.push(this === object && event.type); } };
target.addEventListener('x', object);
target.addEventListener('x', object);
target.addEventListener('x', null);
equal(target.dispatchEvent(new Event('x')), true);
deepEqual(seen, ['capture', 'bubble', 'once', 'x']);
seen.length = 0;
target.removeEventListener('x', object);
target.dispatchEvent(new Event('x'));
deepEqual(seen, ['capture', 'bubble']);

const passive = new EventTarget();
passive.addEventListener('x', (event) => event.preventDefault(), { passive: true });
equal(passive.dispatchEvent(new Event('x', { cancelable: true })), true);
passive.addEventListener('x', (event) => event.preventDefault());
equal(passive.dispatchEvent(new Event('x', { cancelable: true })), false);
equal(passive.dispatchEvent(new Event('x')), true);

const stopped = new EventTarget();
stopped.addEventListener('x', (event) => event.stopImmediatePropagation());
stopped.addEventListener('x', () => { throw new Error('stopped'); });
stopped.dispatchEvent(new Event('x'));

const controller = new AbortController();
const signalled = new EventTarget();
signalled.addEventListener('x', () => { throw new Error('removed'); }, { signal: controller.signal });
controller.abort();
signalled.dispatchEvent(new Event('x'));

const reentrant = new EventTarget();
reentrant.addEventListener('x', (event) => {
  equal(event.target, reentrant);
  equal(event.eventPhase, Event.AT_TARGET);
  deepEqual(event.composedPath(), [reentrant]);
  throws(() => reentrant.dispatchEvent(event), { name: 'InvalidStateError' });
});
reentrant.dispatchEvent(new CustomEvent('x', { detail: 5 }));
equal(new CustomEvent('x', { detail: 5 }).detail, 5);
throws(() => target.dispatchEvent({}), TypeError);
throws(() => EventTarget.prototype.addEventListener.call({}, 'x', () => {}), TypeError);
throws(() => new Event(), TypeError);
