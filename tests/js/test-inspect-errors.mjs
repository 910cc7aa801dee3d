// Errors: the stack, own properties, the cause, the errors of an AggregateError, subclasses.
import { equal, inspect, ok } from './assert.mjs';

Error.stackTraceLimit = 0;
equal(inspect(new Error('m')), '[Error: m]');
equal(inspect(Object.assign(new Error('m'), { code: 'E1' })), "[Error: m] { code: 'E1' }");
equal(inspect(new Error('m', { cause: 'c' })), "[Error: m] { [cause]: 'c' }");
equal(inspect(new AggregateError([new TypeError('a'), 2], 'all')), '[AggregateError: all] { [errors]: [ [TypeError: a], 2 ] }');
equal(inspect(new (class MyError extends Error {})('m')), '[MyError: m]');
equal(inspect(new (class Problem extends Error {})('m')), '[Problem [Error]: m]');
const renamed = new Error('m');
renamed.name = 'Renamed';
equal(inspect(renamed), '[Renamed: m]');

Error.stackTraceLimit = 10;
function deeper(n) { return n === 0 ? new Error('deep') : deeper(n - 1); }
const text = inspect({ e: deeper(1) });
ok(text.startsWith('{\n  e: Error: deep\n      at deeper ('), text);
ok(text.includes('test-inspect-errors.mjs:'), text);

function wrap() {
  try {
    throw new Error('inner');
  } catch (cause) {
    return new Error('outer', { cause });
  }
}
ok(/^Error: outer\n {4}at wrap .*\n.*\{\n {2}\[cause\]: Error: inner\n {6}at wrap /.test(inspect(wrap())), inspect(wrap()));
