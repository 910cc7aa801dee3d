// Top-level await: siblings go on meanwhile, importers wait.
import { deepEqual, equal } from './assert.mjs';
import { waited } from '../fixtures/modules/waits.mjs';
import '../fixtures/modules/sibling.mjs';
import { order } from '../fixtures/modules/log.mjs';

equal(waited, true);
deepEqual(order, ['waits begins', 'sibling', 'waits ends']);
equal(await Promise.resolve(7), 7);
