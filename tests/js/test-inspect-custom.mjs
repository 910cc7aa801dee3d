// An object's own inspection method, and options that limit the output.
import { equal, inspect } from './assert.mjs';

const custom = Symbol.for('nodejs.util.inspect.custom');
equal(inspect({ [custom](depth, options) { return `<${depth} ${typeof options.stylize}>`; } }), '<2 function>');
equal(inspect({ a: { [custom]: () => 'two\nlines' } }), '{\n  a: two\n  lines\n}');
equal(inspect({ [custom]: () => ({ instead: 1 }) }), '{ instead: 1 }');
equal(inspect({ a: 1, [custom]() { return this; } }).includes('a: 1'), true);
equal(inspect([1, 2, 3], { maxArrayLength: 1 }), '[ 1, ... 2 more items ]');
equal(inspect('abcdef', { maxStringLength: 3 }), "'abc'... 3 more characters");
equal(inspect({ b: 1, a: 2 }, { sorted: true }), '{ a: 2, b: 1 }');
equal(inspect({ get a() { return 5; } }, { getters: true }), '{ a: [Getter: 5] }');
equal(inspect({ a: 'x' }, { colors: true }), "{ a: \u001b[32m'x'\u001b[39m }");
equal(inspect({ a: 1, b: { c: 2 } }, { compact: false }), '{\n  a: 1,\n  b: {\n    c: 2\n  }\n}');
