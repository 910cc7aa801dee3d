// Primitives as console.log shows them inside objects.
import { equal, inspect } from './assert.mjs';

equal(inspect(-0), '-0');
equal(inspect(10n), '10n');
equal(inspect(undefined), 'undefined');
equal(inspect(null), 'null');
equal(inspect(Symbol('a b')), 'Symbol(a b)');
equal(inspect('plain'), "'plain'");
equal(inspect("it's"), '"it\'s"');
equal(inspect('it\'s "so"'), '`it\'s "so"`');
equal(inspect('\'"`'), "'\\'\"`'");
equal(inspect('a\n\t\u0000\u001b\\'), "'a\\n\\t\\x00\\x1B\\\\'");
equal(inspect('\ud83d'), "'\\ud83d'");
equal(inspect('\u{1f600}'), "'\u{1f600}'");
equal(inspect('x'.repeat(10001)).endsWith("'... 1 more character"), true);
equal(inspect(1234567.891, { numericSeparator: true }), '1_234_567.891');
