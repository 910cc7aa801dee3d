// Errors on their way to another Realm: message, stack, name, code and cause cross; of anything else, what can be cloned.
'use strict';

const {
  Error, ErrorPrototypeToString, ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, RangeError, SafeMap, String,
  TypeError,
} = internal.primordials;
const { defineHidden } = internal;

const DEPTH_MAX = 8;
const plain = ['name', 'message', 'stack', 'code', 'errno', 'syscall', 'path'];

// read(error, key): a string or a number, whatever the property is up to.
function read(error, key) {
  try {
    const value = error[key];
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}

function causeOf(error) {
  try {
    return ObjectGetOwnPropertyDescriptor(error, 'cause');
  } catch {
    return undefined;
  }
}

function textOf(value) {
  try {
    return String(value);
  } catch {
    return '(an object that has no text)';
  }
}

// packError(value): what C can write as a message, whatever was thrown.
internal.packError = (value, depth = 0) => {
  if (native.typeTag(value) !== 'Error') {
    try {
      return { kind: 'value', value: native.structuredClone(value, undefined) };
    } catch {
      return { kind: 'text', text: textOf(value) };
    }
  }
  const packed = { kind: 'error', class: classOf(value) };
  for (let i = 0; i < plain.length; i++) packed[plain[i]] = read(value, plain[i]);
  const cause = causeOf(value);
  if (cause !== undefined && depth < DEPTH_MAX) packed.cause = internal.packError(cause.value, depth + 1);
  return packed;
};

const classes = new SafeMap();
const known = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
for (const name of ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']) {
  classes.set(name, known[name]);
}

function classOf(error) {
  const name = read(error, 'name');
  if (error instanceof internal.DOMException) return 'DOMException';
  return classes.has(name) ? name : 'Error';
}

const isText = (value) => typeof value === 'string';
const isPlain = (value) => typeof value === 'string' || typeof value === 'number';

// unpackError(packed): an error of this Realm with that one's text. PACKED may be from a process that is not to be
// trusted.
internal.unpackError = (packed, depth = 0) => {
  const { kind, text } = packed ?? {};
  if (kind === 'value') return packed.value;
  if (kind === 'text' && isText(text)) return new Error(text);
  if (kind !== 'error') return new Error('The Realm ended by an error that could not be told');
  const message = isPlain(packed.message) ? `${packed.message}` : '';
  const name = isText(packed.name) ? packed.name : 'Error';
  const Class = classes.get(packed.class) ?? Error;
  const error = packed.class === 'DOMException' ? internal.makeDOMException(message, name) : new Class(message);
  if (packed.class !== 'DOMException' && error.name !== name) defineHidden(error, 'name', name);
  defineHidden(error, 'stack', isText(packed.stack) ? packed.stack : ErrorPrototypeToString(error));
  for (let i = 3; i < plain.length; i++) {
    const key = plain[i];
    if (!isPlain(packed[key]) || (packed.class === 'DOMException' && key === 'code')) continue;
    ObjectDefineProperty(error, key, {
      __proto__: null, value: packed[key], writable: true, enumerable: true, configurable: true,
    });
  }
  if (packed.cause !== undefined && depth < DEPTH_MAX) {
    defineHidden(error, 'cause', internal.unpackError(packed.cause, depth + 1));
  }
  return error;
};
