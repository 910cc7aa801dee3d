// MessageChannel within one Realm, after the HTML Standard.
import { deepEqual, equal, ok } from './assert.mjs';

const { port1, port2 } = new MessageChannel();
const events = [];
port2.addEventListener('message', (event) => events.push(event.data));
port1.postMessage(1);
port1.postMessage({ two: 2 });
await new Promise((resolve) => setTimeout(resolve, 5));
deepEqual(events, [], 'not started yet');
port2.start();
equal(port2.hasRef(), true);
await new Promise((resolve) => port2.addEventListener('message', ({ data }) => data.two && resolve()));
deepEqual(events, [1, { two: 2 }]);

const done = new Promise((resolve) => port2.addEventListener('close', resolve));
port1.postMessage('last');
port1.close();
await done;
equal(events[2], 'last');
port2.postMessage('into the void');

const event = new MessageEvent('message', { data: 5, ports: [], origin: 'here' });
equal(event.data, 5);
equal(event.origin, 'here');
ok(event instanceof Event && Object.isFrozen(event.ports));

// A started port that is unref'd doesn't keep the process.
const { port1: idle } = new MessageChannel();
idle.unref().onmessage = () => {};
