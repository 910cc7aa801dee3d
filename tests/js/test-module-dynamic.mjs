// import(): later than what follows it, also from eval and new Function; one instance; errors are rejections.
import { equal, deepEqual } from './assert.mjs';
import { order } from '../fixtures/modules/log.mjs';

const promise = import('../fixtures/modules/sibling.mjs');
order.push('after import()');
await promise;
deepEqual(order, ['after import()', 'sibling']);

const direct = await import('../fixtures/modules/shared.mjs');
equal(await eval("import('../fixtures/modules/shared.mjs')"), direct);
equal(await new Function("return import('../fixtures/modules/shared.mjs')")(), direct);
equal(await import(new URL('../fixtures/modules/shared.mjs', import.meta.url)), direct);
equal(typeof (await import('fino:process')).exit, 'function');

for (const specifier of ['./not_there.mjs', '', './', 'lodash', 'node:http2', 'https://example.com/x.js', 'fino:nothing', 'a\0b']) {
  const error = await import(specifier).then(() => undefined, (error) => error);
  equal(error instanceof Error, true, specifier);
}
const thrown = await import({ toString() { throw 'from toString'; } }).catch((error) => error);
equal(thrown, 'from toString');
