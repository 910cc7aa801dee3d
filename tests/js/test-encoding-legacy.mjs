// UTF-16 and windows-1252, by their labels.
import { equal, throws } from './assert.mjs';

const bytes = (...list) => new Uint8Array(list);
for (const [label, name] of [['UTF8', 'utf-8'], [' latin1\n', 'windows-1252'], ['ascii', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'], ['utf-16', 'utf-16le'], ['UTF-16BE', 'utf-16be'], ['ucs-2', 'utf-16le']]) {
  equal(new TextDecoder(label).encoding, name);
}
for (const label of ['', 'utf-7', 'utf-8 utf-8', 'utf', '\u0130so-8859-1', 'utf-8\u00a0']) {
  throws(() => new TextDecoder(label), RangeError, label);
}
equal(new TextDecoder('latin1').decode(bytes(0x41, 0x80, 0x81, 0x9f, 0xe9, 0xff)), 'A\u20ac\u0081\u0178\u00e9\u00ff');
equal(new TextDecoder('utf-16le').decode(bytes(0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0, 0xde)), 'a\u{1f600}');
equal(new TextDecoder('utf-16be').decode(bytes(0xfe, 0xff, 0, 0x61, 0xd8, 0x3d, 0xde, 0)), 'a\u{1f600}');
equal(new TextDecoder('utf-16le').decode(bytes(0, 0xd8, 0x61, 0, 0x62)), '\ufffda\ufffd');
throws(() => new TextDecoder('utf-16le', { fatal: true }).decode(bytes(0x61)), TypeError);
const stream = new TextDecoder('utf-16le');
equal(stream.decode(bytes(0x61, 0, 0x3d), { stream: true }), 'a');
equal(stream.decode(bytes(0xd8, 0), { stream: true }), '');
equal(stream.decode(bytes(0xde)), '\u{1f600}');
