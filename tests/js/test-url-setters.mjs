// Setters change what they may and ignore the rest.
import { equal, throws } from './assert.mjs';

function after(href, property, value) {
  const url = new URL(href);
  url[property] = value;
  return url.href;
}
equal(after('http://h:8080/', 'protocol', 'https'), 'https://h:8080/');
equal(after('http://h:443/', 'protocol', 'https:'), 'https://h/');
equal(after('http://h/', 'protocol', 'mailto'), 'http://h/');
equal(after('http://u@h/', 'protocol', 'file'), 'http://u@h/');
equal(after('http://h/', 'username', 'a:b'), 'http://a%3Ab@h/');
equal(after('http://h/', 'password', 'p@'), 'http://:p%40@h/');
equal(after('file:///x', 'username', 'u'), 'file:///x');
equal(after('http://h:1/', 'host', 'other:2/path'), 'http://other:2/');
equal(after('http://h:1/', 'hostname', 'other'), 'http://other:1/');
equal(after('http://h:1/', 'hostname', 'other:2'), 'http://h:1/');
equal(after('http://h/', 'host', ''), 'http://h/');
equal(after('foo://h/', 'host', ''), 'foo:///');
equal(after('http://h/', 'port', '81abc'), 'http://h:81/');
equal(after('http://h:81/', 'port', ''), 'http://h/');
equal(after('http://h:81/', 'port', '80'), 'http://h/');
equal(after('http://h/', 'port', '65536'), 'http://h/');
equal(after('http://h/a', 'pathname', 'b/../c?d#e'), 'http://h/c%3Fd%23e');
equal(after('http://h/a', 'pathname', ''), 'http://h/');
equal(after('mailto:a', 'pathname', 'b'), 'mailto:a');
equal(after('http://h/?a', 'search', 'b c#'), 'http://h/?b%20c%23');
equal(after('http://h/?a', 'search', ''), 'http://h/');
equal(after('http://h/#a', 'hash', '#b c'), 'http://h/#b%20c');
equal(after('http://h/#a', 'hash', ''), 'http://h/');
equal(after('http://h/', 'href', 'ftp://x'), 'ftp://x/');
const url = new URL('http://h/');
throws(() => { url.href = 'bad'; }, { code: 'ERR_INVALID_URL' });
equal(url.href, 'http://h/');
throws(() => { 'use strict'; url.origin = 'x'; }, TypeError);
