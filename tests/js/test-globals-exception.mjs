// DOMException: names, codes, inheritance, a stack.
import { equal, inspect, ok, throws } from './assert.mjs';

const error = new DOMException('m', 'AbortError');
ok(error instanceof Error);
equal(error.name, 'AbortError');
equal(error.message, 'm');
equal(error.code, 20);
equal(DOMException.ABORT_ERR, 20);
equal(error.NOT_FOUND_ERR, 8);
equal(String(error), 'AbortError: m');
equal(new DOMException().name, 'Error');
equal(new DOMException('m', { name: 'N', cause: 1 }).cause, 1);
ok(error.stack.includes('test-globals-exception.mjs'));
ok(inspect(error).startsWith('DOMException [AbortError]: m\n    at '), inspect(error));
equal(Object.prototype.toString.call(error), '[object DOMException]');
class Sub extends DOMException {}
ok(new Sub('x') instanceof Sub);
throws(() => DOMException.prototype.name, TypeError);
