// A .cjs file: require, module, exports, __filename, cycles; its exports are the default export.
import { deepEqual, equal, throws } from './assert.mjs';
import a from '../fixtures/modules/common_a.cjs';
import asynchronous from '../fixtures/modules/common_async.cjs';
import typed from '../fixtures/modules/common_typed.cts';
import data from '../fixtures/modules/data.json' assert { type: 'json' };
import * as shared from '../fixtures/modules/shared.mjs';
import { exit } from 'fino:process';

deepEqual(a.b.seen, { early: 1 });
equal(a.file.endsWith('/fixtures/modules/common_a.cjs'), true, a.file);
equal(a.dir.endsWith('/fixtures/modules'), true, a.dir);
equal(a.data, data);
equal(a.esm, shared);
equal(a.exit, exit);
equal(a.receiver, true);
equal(typed, 3);
throws(() => asynchronous.load(), /top-level await/);

const missing = await import('../fixtures/modules/common_missing.cjs').catch((error) => error);
equal(missing.code, 'MODULE_NOT_FOUND');
equal(await import('../fixtures/modules/common_missing.cjs').catch((error) => error), missing);
