// SuppressedError, of ECMAScript's explicit resource management: what a program sees of two errors when disposing of
// something throws the second. `using` itself is lowered in typescript_using.c.
'use strict';

const { Error } = internal.primordials;
const { defineHidden } = internal;

class SuppressedError extends Error {
  constructor(error, suppressed, message) {
    super(message);
    defineHidden(this, 'error', error);
    defineHidden(this, 'suppressed', suppressed);
  }
}
defineHidden(SuppressedError.prototype, 'name', 'SuppressedError');

internal.SuppressedError = SuppressedError;
