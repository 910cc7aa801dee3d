// process.env reads, writes, deletes and lists the environment's variables.
import process, { env } from 'fino:process';
import { deepEqual, equal, ok, throws } from './assert.mjs';

equal(process.env, env);
ok(env.PATH.length > 0);
equal(env.FINO_TEST_MISSING, undefined);
ok(!('FINO_TEST_MISSING' in env));
env.FINO_TEST = 5;
equal(env.FINO_TEST, '5');
ok('FINO_TEST' in env);
ok(Object.keys(env).includes('FINO_TEST'));
deepEqual({ ...env }.FINO_TEST, '5');
ok(Object.hasOwn(env, 'FINO_TEST'));
delete env.FINO_TEST;
equal(env.FINO_TEST, undefined);
ok(!Object.keys(env).includes('FINO_TEST'));
env.FINO_TEST_EMPTY = '';
equal(env.FINO_TEST_EMPTY, '');
env.FINO_TEST_UTF8 = '\u00e9\u{1f600}';
equal(env.FINO_TEST_UTF8, '\u00e9\u{1f600}');
throws(() => { env[Symbol('s')] = 1; }, TypeError);
throws(() => Object.defineProperty(env, 'X', { get() {} }), TypeError);
equal(typeof env.toString, 'function');
