// URLSearchParams: what it is made from, its operations, and the form encoding.
import { deepEqual, equal, throws } from './assert.mjs';

equal(new URLSearchParams('?a=1&b=2&&c&=d&e=f=g').toString(), 'a=1&b=2&c=&=d&e=f%3Dg');
equal(new URLSearchParams({ a: 1, b: 'x y' }).toString(), 'a=1&b=x+y');
equal(new URLSearchParams([['a', '1'], new Set(['b', '2'])]).toString(), 'a=1&b=2');
equal(new URLSearchParams(new Map([['k', 'v']])).toString(), 'k=v');
equal(new URLSearchParams(new URLSearchParams('x=%2B+%20')).get('x'), '+  ');
equal(new URLSearchParams({ k: "!'()~*-._\u00e9\ud800" }).toString(), 'k=%21%27%28%29%7E*-._%C3%A9%EF%BF%BD');
equal(new URLSearchParams('a=%zz%4').get('a'), '%zz%4');
equal(new URLSearchParams('a=%ff').get('a'), '\ufffd');
throws(() => new URLSearchParams([['one']]), TypeError);
throws(() => new URLSearchParams([1]), TypeError);

const params = new URLSearchParams('a=1&b=2&a=3');
deepEqual(params.getAll('a'), ['1', '3']);
equal(params.get('zz'), null);
equal(params.has('a', '3'), true);
equal(params.size, 3);
params.set('a', '9');
params.append('c', '4');
params.delete('b');
equal(params.toString(), 'a=9&c=4');
params.delete('c', 'other');
equal(params.has('c'), true);
const sorted = new URLSearchParams('z=1&a=2&z=0&\ufb03=3&\u{1f308}=4');
sorted.sort();
deepEqual([...sorted.keys()], ['a', 'z', 'z', '\u{1f308}', '\ufb03']);
deepEqual([...sorted.values()], ['2', '1', '0', '4', '3']);
deepEqual([...new URLSearchParams('a=1')], [['a', '1']]);
const seen = [];
new URLSearchParams('a=1').forEach(function (value, name, all) { seen.push(value, name, all.size, this.x); }, { x: 5 });
deepEqual(seen, ['1', 'a', 1, 5]);
equal(Object.prototype.toString.call(params.entries()), '[object URLSearchParams Iterator]');
throws(() => params.append('a'), TypeError);
throws(() => URLSearchParams.prototype.get.call({}, 'a'), TypeError);
