// AbortSignal.any follows its signals, also through other combined signals, and all are aborted before a listener runs.
import { deepEqual, equal, throws } from './assert.mjs';

const a = new AbortController();
const b = new AbortController();
const any = AbortSignal.any([a.signal, b.signal]);
const nested = AbortSignal.any([any]);
const seen = [];
b.signal.addEventListener('abort', () => seen.push('b', any.aborted, nested.aborted));
any.addEventListener('abort', () => seen.push('any'));
nested.addEventListener('abort', () => seen.push('nested', nested.reason));
b.abort('r');
a.abort('late');
deepEqual(seen, ['b', true, true, 'any', 'nested', 'r']);
equal(AbortSignal.any([]).aborted, false);
equal(AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason, 1);
throws(() => AbortSignal.any([1]), TypeError);
throws(() => AbortSignal.any(5), TypeError);
