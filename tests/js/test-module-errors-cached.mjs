// A module that failed fails the same way for everybody, without running again.
import { equal, deepEqual } from './assert.mjs';
import { order } from '../fixtures/modules/log.mjs';

const errorOf = (specifier) => import(specifier).then(() => undefined, (error) => error);
const first = await errorOf('../fixtures/modules/throws.mjs');
equal(first.message, 'thrown once');
equal(await errorOf('../fixtures/modules/throws.mjs'), first);
deepEqual(order, ['throws ran']);

const syntax = await errorOf('../fixtures/modules/syntax_error.mjs');
equal(syntax.name, 'SyntaxError');
equal(syntax.stack.includes('syntax_error.mjs:1:11'), true, syntax.stack);
equal(await errorOf('../fixtures/modules/syntax_error.mjs'), syntax);

const absent = await errorOf('../fixtures/modules/no_such_export.mjs');
equal(absent.message.includes("does not provide an export named 'absent'"), true, absent.message);

const missing = await errorOf('../fixtures/modules/missing_inside.mjs');
equal(missing.code, 'ERR_MODULE_NOT_FOUND');
equal(missing.message.includes('missing_inside.mjs:1:8'), true, missing.message);
