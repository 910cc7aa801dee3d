// A built-in module: named exports, a namespace that is one and the same, and a clear error for one that isn't there.
import { equal } from './assert.mjs';
import { pid } from 'fino:process';
import * as namespace from 'fino:process';

equal(typeof pid, 'number');
equal(await import('fino:process'), namespace);
const error = await import('fino:proces').catch((error) => error);
equal(error.code, 'ERR_UNKNOWN_BUILTIN_MODULE');
equal(error.message.includes('fino:process'), true, error.message);
