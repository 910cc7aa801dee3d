// A byte order mark, a hashbang and TypeScript change no line or column.
import { equal } from './assert.mjs';
import { place as bom } from '../fixtures/modules/bom.mjs';
import { place as hashbang } from '../fixtures/modules/hashbang.mjs';
import { from } from '../fixtures/modules/typed.js'; // the file is typed.ts

equal(bom.endsWith('bom.mjs:1:22'), true, bom);
equal(hashbang.endsWith('hashbang.mjs:2:22'), true, hashbang);
equal(from, 'typescript');
