// atob and btoa.
import { equal, throws } from './assert.mjs';

equal(btoa(''), '');
equal(btoa('a'), 'YQ==');
equal(btoa('ab'), 'YWI=');
equal(btoa('abc\xff'), 'YWJj/w==');
equal(btoa(null), 'bnVsbA==');
throws(() => btoa('\u0100'), { name: 'InvalidCharacterError' });
equal(atob(' Y W\tI=\n'), 'ab');
equal(atob('YWI'), 'ab');
equal(atob('/w=='), '\xff');
for (const bad of ['a', 'ab=', 'ab===', 'a=bc', '\u00e9', 'ab-_', '====']) {
  throws(() => atob(bad), { name: 'InvalidCharacterError' }, bad);
}
let all = '';
for (let i = 0; i < 70000; i++) all += String.fromCharCode(i & 255);
equal(atob(btoa(all)), all);
throws(() => btoa(), TypeError);
