// FormData, as a list and as a body: what is written is read back, whatever is in it; what is cut off or malformed is refused.
import { deepEqual, equal, inspect, ok, rejects, throws } from './assert.mjs';

const form = new FormData();
form.append('a', 1);
form.append('b', new Blob(['x'], { type: 't/x' }));
form.append('a', '\ud800');
form.append('c', new File(['y'], 'own.txt', { lastModified: 7 }));
form.append('c', new File(['z'], 'own.txt'), 'other.txt');
deepEqual([...form.keys()], ['a', 'b', 'a', 'c', 'c']);
deepEqual(form.getAll('a'), ['1', '\ufffd']);
deepEqual([form.get('a'), form.get('none'), form.has('a'), form.has('none')], ['1', null, true, false]);
deepEqual(form.getAll('c').map((file) => file.name), ['own.txt', 'other.txt']);
deepEqual([form.get('b') instanceof File, form.get('b').name, form.get('b').type, form.get('c').lastModified], [true, 'blob', 't/x', 7]);
form.set('a', 'only');
form.set('d', 'new');
deepEqual([...form.keys()], ['a', 'b', 'c', 'c', 'd']);
form.delete('c');
const seen = [];
form.forEach((value, name, of) => { seen.push(name); ok(of === form); });
deepEqual(seen, ['a', 'b', 'd']);
const entries = form[Symbol.iterator]();
form.append('e', 'late'); // iterators are live
deepEqual([...entries].at(-1), ['e', 'late']);
equal(inspect(new FormData()), 'FormData {}');
throws(() => new FormData({}), TypeError);
throws(() => form.append('x'), TypeError);
throws(() => form.append('x', 'text', 'name'), TypeError);
throws(() => FormData.prototype.get.call({}, 'x'), TypeError);

// As a body. Line ends of names and text are CRLF; files stay as they are.
const all = new Uint8Array(256).map((_, i) => i);
const values = ['', 'plain', 'gr\u00fc\u00dfe \u{1f600}', '--', '\r\n--', '"quoted" %22 \\', 'a;b=c', 'a\nb\rc\r\nd', '\ufeffx', 'x'.repeat(1e5)];
const names = (text) => text.replace(/\r\n|\r|\n/g, '\r\n');
const sent = new FormData();
for (const value of values) sent.append(value, value);
for (const value of values) sent.append('file', new File([all, value], value, { type: value === '' ? '' : 'a/b;c=d' }));
const response = new Response(sent);
const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(response.headers.get('content-type'));
ok(new Response(sent).headers.get('content-type') !== response.headers.get('content-type'), 'boundaries are random');
const text = await response.clone().text();
ok(text.startsWith(`--${boundary}\r\nContent-Disposition: form-data; name=""\r\n\r\n\r\n--`) && text.endsWith(`\r\n--${boundary}--\r\n`));
const got = [...await response.formData()];
equal(got.length, values.length * 2);
for (const [i, value] of values.entries()) {
  // Only quotes and line ends are escaped, so that a name with an escape in it is read as what that stands for.
  const [name, text] = got[i];
  equal(name, names(value).replaceAll('%22', '"'));
  equal(text, names(value).replace(/^\ufeff/, ''));
  const [, file] = got[values.length + i];
  equal(file.name, value.replaceAll('%22', '"'));
  equal(file.type, value === '' ? 'application/octet-stream' : 'a/b;c=d');
  deepEqual(await file.bytes(), await new Blob([all, value]).bytes());
}
deepEqual([...await new Response(new FormData()).formData()], []);

const urlencoded = await new Request('http://a/', { method: 'POST', body: new URLSearchParams([['a', '1 +&='], ['a', '\u00e9'], ['', '']]) }).formData();
deepEqual([...urlencoded], [['a', '1 +&='], ['a', '\u00e9'], ['', '']]);

// Written by others.
const read = (body, type = 'multipart/form-data; boundary=XX') => new Response(body, { headers: { 'content-type': type } }).formData();
const part = (head, value) => `--XX\r\n${head}\r\n\r\n${value}\r\n`;
deepEqual([...await read(`${part('CONTENT-DISPOSITION:form-data;name=a', '1')}--XX--`)], [['a', '1']]);
deepEqual([...await read(`${part('X-Other: y\r\ncontent-disposition: form-data; x=y; name="a;b"', '1')}--XX--\r\nepilogue`)], [['a;b', '1']]);
deepEqual([...await read(`${part('Content-Disposition: form-data; name="a"', '1')}--XX--`, 'Multipart/Form-Data;boundary="XX"; charset=utf-8')], [['a', '1']]);
equal((await read(`${part('Content-Disposition: form-data; name="a"; filename=""', '1')}--XX--`)).get('a').name, '');
equal((await read(`${part('Content-Disposition: form-data; name="a"; filename="f"', '1')}--XX--`)).get('a').type, 'text/plain');

const good = part('Content-Disposition: form-data; name="a"', '1');
const bad = ['', 'text', '--XX', '--XX\r\n', good, `${good}--XX`, `${good}--XX\r\n--XX--`, `preamble\r\n${good}--XX--`, good.replace('XX', 'YY'),
  `${part('Content-Disposition: attachment; name="a"', '1')}--XX--`, `${part('Content-Disposition: form-data', '1')}--XX--`,
  `${part('Content-Disposition: form-data; name="a', '1')}--XX--`, `${part('no colon', '1')}--XX--`, `${part(' name: x', '1')}--XX--`,
  `--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n--XX--`];
for (const body of bad) await rejects(() => read(body), TypeError, inspect(body));
for (const type of ['', 'text/plain', 'multipart/form-data', 'multipart/form-data; boundary=', 'multipart/mixed; boundary=XX']) {
  await rejects(() => read(`${good}--XX--`, type), TypeError, type);
}
await rejects(() => new Response(null).formData(), TypeError);
