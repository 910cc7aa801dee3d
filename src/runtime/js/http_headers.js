// class Headers: a list of names and values, in the order they were added, names in lower case.
'use strict';

const {
  ArrayIsArray, ArrayPrototypePush, ArrayPrototypeSort, ObjectCreate, ObjectKeys, ReflectApply,
  RegExpPrototypeExec, SafeMap, StringPrototypeCharCodeAt, StringPrototypeIndexOf, StringPrototypeSlice,
  StringPrototypeToLowerCase, SymbolIterator, SymbolToStringTag, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, describe, illegalThis, listOf, needArguments, needFunction, webInterface } =
  internal;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const controls = /[^\t\x20-\x7e\x80-\xff]/;

// The names in lower case that have been checked, since programs use few.
const known = new SafeMap();
const KNOWN_MAX = 512;

function checkName(name) {
  const text = `${name}`;
  let lower = known.get(text);
  if (lower !== undefined) return lower;
  if (RegExpPrototypeExec(token, text) === null) throw new TypeError(`Headers: ${describe(text)} is not a field's name`);
  lower = StringPrototypeToLowerCase(text);
  if (known.size < KNOWN_MAX) known.set(text, lower);
  return lower;
}

const isBlank = (code) => code === 32 || code === 9 || code === 10 || code === 13;

// trim(text, start, end): that part of it without the white space of HTTP at both ends.
function trim(text, start, end) {
  while (start < end && isBlank(StringPrototypeCharCodeAt(text, start))) start++;
  while (start < end && isBlank(StringPrototypeCharCodeAt(text, end - 1))) end--;
  return StringPrototypeSlice(text, start, end);
}

function checkValue(value, name) {
  const text = `${value}`;
  const trimmed = trim(text, 0, text.length);
  if (RegExpPrototypeExec(controls, trimmed) !== null) {
    throw new TypeError(`Headers: the value of '${name}' has a character that can't be sent`);
  }
  return trimmed;
}

// parseFields(head, start): the list that the lines of a valid head make, from `start` on.
internal.parseFields = (head, start) => {
  const list = [];
  while (start < head.length) {
    const end = StringPrototypeIndexOf(head, '\r\n', start);
    const colon = StringPrototypeIndexOf(head, ':', start);
    ArrayPrototypePush(list, StringPrototypeToLowerCase(StringPrototypeSlice(head, start, colon)),
      trim(head, colon + 1, end));
    start = end + 2;
  }
  return list;
};

function combined(list, name) {
  let value = null;
  for (let i = 0; i < list.length; i += 2) {
    if (list[i] === name) value = value === null ? list[i + 1] : `${value}${name === 'cookie' ? '; ' : ', '}${list[i + 1]}`;
  }
  return value;
}

function remove(list, name) {
  let kept = 0;
  for (let i = 0; i < list.length; i += 2) {
    if (list[i] === name) continue;
    list[kept++] = list[i];
    list[kept++] = list[i + 1];
  }
  list.length = kept;
}

// sorted(list): [name, value] pairs by name, those of one name combined but for set-cookie's.
function sorted(list) {
  const pairs = [];
  const seen = { __proto__: null };
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i];
    if (name === 'set-cookie') {
      ArrayPrototypePush(pairs, [name, list[i + 1]]);
    } else if (!seen[name]) {
      seen[name] = true;
      ArrayPrototypePush(pairs, [name, combined(list, name)]);
    }
  }
  return ArrayPrototypeSort(pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
}

const HeadersIteratorPrototype = ObjectCreate(internal.primordials.IteratorPrototype);
defineHidden(HeadersIteratorPrototype, SymbolToStringTag, 'Headers Iterator');

function iterate(list, pick) {
  let index = 0;
  const iterator = ObjectCreate(HeadersIteratorPrototype);
  defineHidden(iterator, 'next', () => {
    // Live, as the standard wants it: what is added meanwhile may still come.
    const pairs = sorted(list);
    return index < pairs.length ? { value: pick(pairs[index++]), done: false } : { value: undefined, done: true };
  });
  return iterator;
}

function fill(list, init) {
  if (typeof init !== 'object' || init === null) {
    throw new TypeError(`Headers: init must be an object or an iterable, not ${describe(init)}`);
  }
  const other = internal.headersList(init);
  if (other !== undefined) {
    for (let i = 0; i < other.length; i++) list[i] = other[i];
  } else if (typeof init[SymbolIterator] === 'function') {
    const pairs = listOf(init, 'Headers: init');
    for (let i = 0; i < pairs.length; i++) {
      const pair = listOf(pairs[i], 'Headers: a pair');
      if (pair.length !== 2) throw new TypeError('Headers: a pair must have a name and a value');
      const name = checkName(pair[0]);
      ArrayPrototypePush(list, name, checkValue(pair[1], name));
    }
  } else {
    const keys = ObjectKeys(init);
    for (let i = 0; i < keys.length; i++) {
      const name = checkName(keys[i]);
      ArrayPrototypePush(list, name, checkValue(init[keys[i]], name));
    }
  }
}

let ownList; // ownList(headers): its list; throws unless it is a Headers

class Headers {
  #list;

  constructor(init = undefined) {
    this.#list = [];
    if (init !== undefined) fill(this.#list, init);
  }

  static {
    ownList = (headers) => {
      if (typeof headers !== 'object' || headers === null || !(#list in headers)) throw illegalThis('Headers');
      return headers.#list;
    };
    // headersList(value): the list of a Headers, undefined for all else.
    internal.headersList = (value) => (
      typeof value === 'object' && value !== null && #list in value ? value.#list : undefined);
    // headersOf(list): a Headers with that list.
    internal.headersOf = (list) => {
      const headers = new Headers();
      headers.#list = list;
      return headers;
    };
  }

  append(name, value) {
    const list = ownList(this);
    needArguments(arguments.length, 2, 'Headers.append');
    const lower = checkName(name);
    ArrayPrototypePush(list, lower, checkValue(value, lower));
  }

  set(name, value) {
    const list = ownList(this);
    needArguments(arguments.length, 2, 'Headers.set');
    const lower = checkName(name);
    const checked = checkValue(value, lower);
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] !== lower) continue;
      // In the place of the first; the others, all behind it, go.
      list[i] = '';
      remove(list, lower);
      list[i] = lower;
      list[i + 1] = checked;
      return;
    }
    ArrayPrototypePush(list, lower, checked);
  }

  get(name) {
    const list = ownList(this);
    needArguments(arguments.length, 1, 'Headers.get');
    return combined(list, checkName(name));
  }

  has(name) {
    const list = ownList(this);
    needArguments(arguments.length, 1, 'Headers.has');
    return combined(list, checkName(name)) !== null;
  }

  delete(name) {
    const list = ownList(this);
    needArguments(arguments.length, 1, 'Headers.delete');
    remove(list, checkName(name));
  }

  getSetCookie() {
    const list = ownList(this);
    const cookies = [];
    for (let i = 0; i < list.length; i += 2) if (list[i] === 'set-cookie') ArrayPrototypePush(cookies, list[i + 1]);
    return cookies;
  }

  forEach(callback, thisArgument = undefined) {
    const pairs = sorted(ownList(this));
    needFunction(callback, 'Headers.forEach: callback');
    for (let i = 0; i < pairs.length; i++) {
      ReflectApply(callback, thisArgument, [pairs[i][1], pairs[i][0], this]);
    }
  }

  entries() { return iterate(ownList(this), (pair) => pair); }
  keys() { return iterate(ownList(this), (pair) => pair[0]); }
  values() { return iterate(ownList(this), (pair) => pair[1]); }
}
webInterface(Headers, 'Headers');
defineHidden(Headers.prototype, SymbolIterator, Headers.prototype.entries);
defineHidden(Headers.prototype, customInspect, function (depth, options, inspect) {
  const list = internal.headersList(this);
  if (list === undefined) return this;
  const shown = {};
  const pairs = sorted(list);
  for (let i = 0; i < pairs.length; i++) {
    const [name, value] = pairs[i];
    const before = shown[name];
    shown[name] = before === undefined ? value : ArrayIsArray(before) ? [...before, value] : [before, value];
  }
  return `Headers ${inspect(shown, options)}`;
});

internal.Headers = Headers;
