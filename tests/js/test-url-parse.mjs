// Absolute and relative URLs, and their parts.
import { deepEqual, equal, throws } from './assert.mjs';

const url = new URL('https://user:pa%20ss@Example.COM:8443/a/../b/./c?x=1&y=%20z#frag');
deepEqual(
  [url.href, url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search,
    url.hash],
  ['https://user:pa%20ss@example.com:8443/b/c?x=1&y=%20z#frag', 'https://example.com:8443', 'https:', 'user', 'pa%20ss',
    'example.com:8443', 'example.com', '8443', '/b/c', '?x=1&y=%20z', '#frag']);
equal(`${url}`, url.href);
equal(JSON.stringify({ url }), `{"url":"${url.href}"}`);

const parsed = (input, base) => new URL(input, base).href;
equal(parsed('http://a.b:80/'), 'http://a.b/');
equal(parsed('  http:\\\\a\tb\n/c\\d '), 'http://ab/c/d');
equal(parsed('../x?q#f', 'http://h/a/b/c'), 'http://h/a/x?q#f');
equal(parsed('//other/p', 'https://h/a'), 'https://other/p');
equal(parsed('?q', 'http://h/a?b#c'), 'http://h/a?q');
equal(parsed('', 'http://h/a?b#c'), 'http://h/a?b');
equal(parsed('#n', 'data:text/plain,x'), 'data:text/plain,x#n');
equal(parsed('file:///C|/a/../../b'), 'file:///C:/b');
equal(parsed('file://localhost/x'), 'file:///x');
equal(parsed('non-special://Host/%41 b'), 'non-special://Host/%41%20b');
equal(parsed('mailto:a@b.c'), 'mailto:a@b.c');
equal(parsed('http://h/\u00e9?\u00e9#\u00e9'), 'http://h/%C3%A9?%C3%A9#%C3%A9');
equal(parsed('web+demo:/..//not-a-host/'), 'web+demo:/.//not-a-host/');
equal(new URL('blob:https://a.b/uuid').origin, 'https://a.b');
equal(new URL('file:///x').origin, 'null');

for (const [bad, base] of [['nonsense'], [''], ['http://'], ['http://a b/'], ['http://h:99999/'], ['//x'], ['/x', 'mailto:a'],
  ['http://[::1'], ['http://a%/'], ['x', 'y']]) {
  const error = throws(() => new URL(bad, base), { message: 'Invalid URL', code: 'ERR_INVALID_URL' });
  equal(error instanceof TypeError, true);
  equal(URL.canParse(bad, base), false);
  equal(URL.parse(bad, base), null);
}
equal(URL.canParse('x', 'http://h'), true);
equal(URL.parse('x', 'http://h').href, 'http://h/x');
throws(() => new URL(), TypeError);
throws(() => URL('http://h'), TypeError);
throws(() => Object.getOwnPropertyDescriptor(URL.prototype, 'href').get.call({}), TypeError);
