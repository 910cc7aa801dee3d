// A URL and its searchParams are one: each shows what was changed in the other.
import { equal } from './assert.mjs';

const url = new URL('http://h/?a=1#f');
const { searchParams } = url;
equal(url.searchParams, searchParams);
searchParams.append('b', '\u00e9 x');
equal(url.href, 'http://h/?a=1&b=%C3%A9+x#f');
url.search = '?c=3';
equal(searchParams.toString(), 'c=3');
searchParams.delete('c');
equal(url.href, 'http://h/#f');
url.href = 'http://h/?d=4';
equal(searchParams.get('d'), '4');
