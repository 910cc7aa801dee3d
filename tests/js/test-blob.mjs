// Blob and File: what they are made of, that nothing changes them afterwards, slices, and every way to read them.
import { deepEqual, equal, inspect, ok, rejects, throws } from './assert.mjs';

const bytes = new Uint8Array([0xc3, 0xa9, 0x2e]);
const blob = new Blob(['a\r\nb', bytes, bytes.buffer, new DataView(bytes.buffer, 1, 1), new Blob(['x']), 7], { type: 'Text/Plain' });
bytes.fill(0);
equal(await blob.text(), 'a\r\nb\u00e9.\u00e9.\ufffdx7');
deepEqual([blob.size, blob.type], [13, 'text/plain']);
(await blob.bytes()).fill(0);
new Uint8Array(await blob.arrayBuffer()).fill(0);
equal((await blob.bytes())[0], 97);
equal(new Blob([], { type: 'a\u00e9' }).type, '');
equal(await new Blob(['a\r\nb\rc\nd'], { endings: 'native' }).text(), 'a\nb\nc\nd');
equal(await new Blob(['\ud800']).text(), '\ufffd');

const digits = new Blob(['0123456789']);
const slices = [[[], '0123456789'], [[2], '23456789'], [[2, 5], '234'], [[-3], '789'], [[-3, -1], '78'], [[5, 2], ''], [[0, 99], '0123456789'],
  [[-99, 1], '0'], [[NaN, 2.9], '01'], [[undefined, undefined], '0123456789'], [[null, 3], '012']];
for (const [range, expected] of slices) equal(await digits.slice(...range).text(), expected, inspect(range));
equal(digits.slice(0, 1, 'A/B').type, 'a/b');
equal(await digits.slice(2, 8).slice(1, -1).text(), '3456');

const large = new Blob(['x'.repeat(200000)]);
const sizes = [];
for await (const chunk of large.stream()) {
  sizes.push(chunk.length);
  chunk.fill(0);
}
equal(sizes.reduce((sum, size) => sum + size, 0), 200000);
ok(sizes.length > 1);
equal(await large.text(), 'x'.repeat(200000));
deepEqual(await new Response(new Blob([]).stream()).text(), '');

const file = new File(['abc'], 'name.txt', { type: 'a/b', lastModified: 5.5 });
deepEqual([file.name, file.size, file.type, file.lastModified, await file.text()], ['name.txt', 3, 'a/b', 5, 'abc']);
ok(file instanceof Blob && file.slice(0, 1) instanceof Blob && !(file.slice(0, 1) instanceof File));
ok(Math.abs(new File([], 'x').lastModified - Date.now()) < 60e3);
equal(Object.prototype.toString.call(file), '[object File]');
equal(inspect(blob), "Blob { size: 13, type: 'text/plain' }");

for (const wrong of [null, 'abc', 5, {}]) throws(() => new Blob(wrong), TypeError);
throws(() => new Blob([], { endings: 'other' }), TypeError);
throws(() => new Blob([], 5), TypeError);
throws(() => new File(['x']), TypeError);
throws(() => Blob.prototype.size, TypeError);
throws(() => Object.getOwnPropertyDescriptor(File.prototype, 'name').get.call(new Blob()), TypeError);
await rejects(() => Blob.prototype.text.call({}), TypeError);

// As a body, whose type it gives; and a body as one.
const request = new Request('http://a/', { method: 'POST', body: file });
equal(request.headers.get('content-type'), 'a/b');
const back = await request.blob();
deepEqual([await back.text(), back.type], ['abc', 'a/b']);
equal(new Response(new Blob(['x'])).headers.get('content-type'), null);
equal((await new Response('x').blob()).type, 'text/plain;charset=UTF-8');
equal((await new Response('x', { headers: { 'content-type': ' TEXT/plain ; Charset="a\\"b"; =; x' } }).blob()).type,
  'text/plain;charset="a\\"b"');
equal((await new Response(new Uint8Array(2), { headers: { 'content-type': 'none' } }).blob()).type, '');
equal((await new Response(null).blob()).size, 0);
const used = new Response('x');
await used.blob();
await rejects(() => used.blob(), TypeError);
