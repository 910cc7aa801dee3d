// One file is one module by whatever path; another query makes another one.
import { equal, ok } from './assert.mjs';
import * as plain from '../fixtures/modules/shared.mjs';
import * as linked from '../fixtures/modules/linked.mjs';
import * as roundabout from '../fixtures/../fixtures/./modules//shared.mjs';

equal(linked, plain);
equal(roundabout, plain);
const here = import.meta.dirname;
equal(await import(`${here}/../fixtures/modules/shared.mjs`), plain);
equal(await import(`file://${here}/../fixtures/modules/shared.mjs`), plain);
equal(await import('../fixtures/modules/sh%61red.mjs'), plain);
const query = await import('../fixtures/modules/shared.mjs?1');
ok(query !== plain);
equal(await import('../fixtures/modules/shared.mjs?1'), query);
