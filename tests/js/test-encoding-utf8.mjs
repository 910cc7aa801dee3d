// UTF-8 both ways: replacement of broken sequences, fatal, byte order mark, streams, views.
import { deepEqual, equal, throws } from './assert.mjs';

const bytes = (...list) => new Uint8Array(list);
const encoder = new TextEncoder();
deepEqual(encoder.encode('a\u00e9\u20ac\u{1f600}\ud800'),
  bytes(97, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbf, 0xbd));
equal(encoder.encode().length, 0);
equal(encoder.encoding, 'utf-8');
const into = new Uint8Array(4);
deepEqual(encoder.encodeInto('a\u20ac\u20ac', into), { read: 2, written: 4 });
throws(() => encoder.encodeInto('a', []), TypeError);

const decode = (...list) => new TextDecoder().decode(bytes(...list));
equal(decode(0xf0, 0x9f, 0x98, 0x80), '\u{1f600}');
equal(decode(0xef, 0xbb, 0xbf, 97), 'a');
equal(decode(0xff, 97), '\ufffda');
equal(decode(0xe2, 0x82), '\ufffd');
equal(decode(0xe2, 0x82, 97), '\ufffda');
equal(decode(0xf0, 0x80, 0x80), '\ufffd\ufffd\ufffd');
equal(decode(0xed, 0xa0, 0x80), '\ufffd\ufffd\ufffd');
equal(decode(0xc0, 0xaf), '\ufffd\ufffd');
equal(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes(0xef, 0xbb, 0xbf, 97)), '\ufeffa');
throws(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes(0xff)), TypeError);

const stream = new TextDecoder();
equal(stream.decode(bytes(0xef, 0xbb), { stream: true }), '');
equal(stream.decode(bytes(0xbf, 0xf0, 0x9f), { stream: true }), '');
equal(stream.decode(bytes(0x98), { stream: true }), '');
equal(stream.decode(bytes(0x80, 97, 0xe2), { stream: true }), '\u{1f600}a');
equal(stream.decode(), '\ufffd');
equal(stream.decode(bytes(0xef, 0xbb, 0xbf, 98)), 'b', 'a new stream has a byte order mark again');

const buffer = bytes(97, 98, 99, 100).buffer;
equal(new TextDecoder().decode(buffer), 'abcd');
equal(new TextDecoder().decode(new DataView(buffer, 1, 2)), 'bc');
equal(new TextDecoder().decode(new Uint16Array(buffer, 2)), 'cd');
throws(() => new TextDecoder().decode('text'), TypeError);
equal(new TextDecoder().decode(encoder.encode('x'.repeat(1e6))).length, 1e6);
