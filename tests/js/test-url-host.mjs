// Hosts: IPv4 in all its spellings, IPv6 compression, domains outside ASCII, what is no host.
import { equal, throws } from './assert.mjs';

const host = (text) => new URL(`http://${text}/`).host;
equal(host('127.1'), '127.0.0.1');
equal(host('0x7f.0.0.1'), '127.0.0.1');
equal(host('017700000001'), '127.0.0.1');
equal(host('4294967295'), '255.255.255.255');
equal(host('1.2.3.4.'), '1.2.3.4');
equal(host('1.2.3.4.5.com'), '1.2.3.4.5.com');
equal(host('[2001:DB8:0:0:1:0:0:1]'), '[2001:db8::1:0:0:1]');
equal(host('[::ffff:1.2.3.4]'), '[::ffff:102:304]');
equal(host('[0:0:0:0:0:0:0:0]'), '[::]');
equal(host('[1:0:3:0:5:0:7:0]'), '[1:0:3:0:5:0:7:0]');
equal(host('m\u00fcnchen.de'), 'xn--mnchen-3ya.de');
equal(host('B\u00dcCHER.example'), 'xn--bcher-kva.example');
equal(host('fa\u00df.de'), 'xn--fa-hia.de');
equal(host('\u4f8b\u5b50\u3002\u6d4b\u8bd5'), 'xn--fsqu00a.xn--0zwm56d');
equal(host('\uff27\uff4f.com'), 'go.com');
equal(host('\u03a3\u03a3.gr'), host('\u03c3\u03c3.gr'));
equal(host('soft\u00adhyphen.com'), 'softhyphen.com');
equal(host('%65xample.com'), 'example.com');
for (const bad of ['256.1.1.1', '1.2.3.4.5', '0x100000000', '[1:2]', '[1::2::3]', '[::1.2.3]', '[12345::]', 'a<b', 'a^b', 'a%00b',
  '\u0301a.com', 'a\ufffdb', 'exa mple', '%']) {
  throws(() => host(bad), TypeError, bad);
}
equal(new URL('foo://H%20o/').host, 'H%20o');
throws(() => new URL('foo://h o/'), TypeError);
