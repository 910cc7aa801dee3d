// import.meta: url, dirname, filename, main and resolve, with characters that a URL encodes.
import { equal, throws } from './assert.mjs';
import { meta } from '../fixtures/modules/meta%20äö 100%25.mjs';

equal(import.meta.main, true);
equal(import.meta.url, `file://${import.meta.filename}`);
equal(import.meta.filename, `${import.meta.dirname}/test-module-meta.mjs`);

equal(meta.main, false);
equal(meta.filename.endsWith('/fixtures/modules/meta äö 100%.mjs'), true, meta.filename);
equal(meta.url.endsWith('/fixtures/modules/meta%20%C3%A4%C3%B6%20100%25.mjs'), true, meta.url);
equal(decodeURIComponent(new URL(meta.url).pathname), meta.filename);
equal((await import(meta.url)).meta, meta);

equal(import.meta.resolve('./test-module-meta.mjs?x#y'), `${import.meta.url}?x#y`);
equal(import.meta.resolve('fino:process'), 'fino:process');
throws(() => import.meta.resolve('./not there.mjs'), { code: 'ERR_MODULE_NOT_FOUND' });
throws(() => import.meta.resolve(7), TypeError);
