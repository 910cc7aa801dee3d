// JSON is a module with a default export; it needs its assertion, and errors say where they are.
import { equal, deepEqual } from './assert.mjs';
import data from '../fixtures/modules/data.json' assert { type: 'json' };

deepEqual(data, { name: 'data', list: [1, 2, { deep: 'ä€😀' }] });
equal((await import('../fixtures/modules/data.json', { assert: { type: 'json' } })).default, data);
equal((await import('../fixtures/modules/bom.json', { assert: { type: 'json' } })).default.bom, true);

const errorOf = (promise) => promise.then(() => { throw new Error('nothing was thrown'); }, (error) => error);
const without = await errorOf(import('../fixtures/modules/data.json'));
equal(without.name, 'TypeError');
equal(without.message.includes("assert { type: 'json' }"), true);

const inside = await errorOf(import('../fixtures/modules/json_without.mjs'));
equal(inside.stack.includes('json_without.mjs:1:18'), true, inside.stack);

const broken = await errorOf(import('../fixtures/modules/broken.json', { assert: { type: 'json' } }));
equal(broken.name, 'SyntaxError');
equal(broken.stack.includes('broken.json:2:15'), true, broken.stack);

const unknown = await errorOf(import('../fixtures/modules/data.json', { assert: { type: 'css' } }));
equal(unknown.message.includes("no module type 'css'"), true, unknown.message);
