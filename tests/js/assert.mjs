// Assertions for tests/js. Each throws an Error that says what was expected and what came.

export class AssertionError extends Error {
  get name() { return 'AssertionError'; }
}

let inspector;

// inspect(value, options): the text that console.log would print for value. The function itself is handed out by custom
// inspection, as in Node.
export function inspect(value, options) {
  if (inspector === undefined) {
    console.log({ [Symbol.for('nodejs.util.inspect.custom')](depth, given, inspect) {
      inspector = inspect;
      return '# inspect';
    } });
  }
  return inspector(value, options);
}

function fail(message, what) {
  throw new AssertionError(message === undefined ? what : `${message}: ${what}`);
}

export function ok(value, message) {
  if (!value) fail(message, `expected a true value, got ${inspect(value)}`);
}

export function equal(actual, expected, message) {
  if (!Object.is(actual, expected)) fail(message, `expected ${inspect(expected)}, got ${inspect(actual)}`);
}

// same(a, b): deep equality of data: own enumerable properties, prototypes, and the contents of built-in objects.
function same(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof RegExp) return String(a) === String(b) && a.lastIndex === b.lastIndex;
  if (a instanceof ArrayBuffer) return same(new Uint8Array(a), new Uint8Array(b));
  if (a instanceof Map || a instanceof Set) return a.size === b.size && same([...a], [...b]);
  if (a instanceof Error && a.message !== b.message) return false;
  const keys = Reflect.ownKeys(a);
  return keys.length === Reflect.ownKeys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

export function deepEqual(actual, expected, message) {
  if (!same(actual, expected)) {
    fail(message, `expected ${inspect(expected, { depth: null })}, got ${inspect(actual, { depth: null })}`);
  }
}

// check(error, expected): expected is a class, a pattern for the message, or an object of properties.
function check(error, expected, message) {
  if (expected === undefined) return;
  if (typeof expected === 'function') {
    if (!(error instanceof expected)) fail(message, `expected a ${expected.name}, got ${inspect(error)}`);
  } else if (expected instanceof RegExp) {
    if (!expected.test(String(error?.message))) fail(message, `expected a message like ${expected}, got ${inspect(error)}`);
  } else {
    for (const key of Object.keys(expected)) equal(error?.[key], expected[key], message ?? `the error's ${key}`);
  }
}

export function throws(run, expected, message) {
  try {
    run();
  } catch (error) {
    check(error, expected, message);
    return error;
  }
  fail(message, 'expected an exception');
}

export async function rejects(promise, expected, message) {
  try {
    await (typeof promise === 'function' ? promise() : promise);
  } catch (error) {
    check(error, expected, message);
    return error;
  }
  fail(message, 'expected a rejection');
}
