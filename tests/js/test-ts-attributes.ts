// Import attributes by their new name, which V8 may not know: with { type: 'json' }.
import { equal } from './assert.mjs';
import pins from '../fixtures/typescript/jsx/tsconfig.json' with { type: 'json' };
import again from '../fixtures/typescript/jsx/tsconfig.json'
  with { "type": "json" };
export { default as exported } from '../fixtures/typescript/jsx/tsconfig.json' with { type: 'json' };
import type { Nothing } from './nowhere.ts' with { 'resolution-mode': 'import' };

equal(pins, again);
equal((await import('../fixtures/typescript/jsx/tsconfig.json', { with: { type: 'json' } })).default, pins);
equal({ with: 1 as Nothing | number }.with, 1);
