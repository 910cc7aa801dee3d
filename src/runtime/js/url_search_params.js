// class URLSearchParams, and application/x-www-form-urlencoded, after the URL Standard.
'use strict';

internal.load('url_encode');

const {
  ArrayPrototypeJoin, ArrayPrototypePush, ArrayPrototypeSort, FunctionPrototypeCall, IteratorPrototype, ObjectCreate,
  ObjectDefineProperty, ReflectGetOwnPropertyDescriptor, ReflectOwnKeys, RegExpPrototypeExec, SafeWeakMap,
  StringPrototypeIncludes, StringPrototypeIndexOf, StringPrototypeReplaceAll, StringPrototypeSlice,
  StringPrototypeSplit, SymbolIterator, SymbolToStringTag, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, illegalThis, listOf, needArguments, needFunction, toUsv, webInterface } = internal;
const { FORM, percentDecode, percentEncode } = internal.urlEncode;

const decode = (text) => percentDecode(StringPrototypeReplaceAll(text, '+', ' '));

// parseForm(text): a flat list: name, value, name, value, ...
function parseForm(text) {
  const list = [];
  const parts = StringPrototypeSplit(text, '&');
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (part === '') continue;
    const equals = StringPrototypeIndexOf(part, '=');
    ArrayPrototypePush(list, decode(equals === -1 ? part : StringPrototypeSlice(part, 0, equals)));
    ArrayPrototypePush(list, equals === -1 ? '' : decode(StringPrototypeSlice(part, equals + 1)));
  }
  return list;
}

// Only spaces become +: a + itself is escaped.
const encode = (text) => StringPrototypeReplaceAll(percentEncode(text, FORM), '%20', '+');

function serializeForm(list) {
  let text = '';
  for (let i = 0; i < list.length; i += 2) text += `${i === 0 ? '' : '&'}${encode(list[i])}=${encode(list[i + 1])}`;
  return text;
}

function listFromPairs(init) {
  const pairs = listOf(init, 'URLSearchParams constructor: init');
  const list = [];
  for (let i = 0; i < pairs.length; i++) {
    const pair = listOf(pairs[i], `URLSearchParams constructor: item ${i}`);
    if (pair.length !== 2) {
      throw new TypeError(`URLSearchParams constructor: item ${i} must be a pair of name and value, ` +
        `but has ${pair.length} items`);
    }
    ArrayPrototypePush(list, toUsv(pair[0]), toUsv(pair[1]));
  }
  return list;
}

// A record's names are unique once converted: the last one counts.
function listFromRecord(init) {
  const list = [];
  const keys = ReflectOwnKeys(init);
  for (let i = 0; i < keys.length; i++) {
    const descriptor = ReflectGetOwnPropertyDescriptor(init, keys[i]);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    if (typeof keys[i] === 'symbol') throw new TypeError('URLSearchParams constructor: a name cannot be a symbol');
    const name = toUsv(keys[i]);
    const value = toUsv(init[keys[i]]);
    let at = 0;
    while (at < list.length && list[at] !== name) at += 2;
    list[at] = name;
    list[at + 1] = value;
  }
  return list;
}

function listFrom(init) {
  if (init === undefined) return [];
  if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
    const text = toUsv(init);
    return parseForm(text[0] === '?' ? StringPrototypeSlice(text, 1) : text);
  }
  const method = init[SymbolIterator];
  return method === undefined || method === null ? listFromRecord(init) : listFromPairs(init);
}

let listOfParams; // listOfParams(params): its flat list, after a brand check

class URLSearchParams {
  #list;
  #url = undefined; // the URL whose query this is

  constructor(init = undefined) {
    this.#list = listFrom(init);
  }

  static {
    listOfParams = (params) => {
      if (typeof params !== 'object' || params === null || !(#list in params)) throw illegalThis('URLSearchParams');
      return params.#list;
    };
    // makeUrlParams(url, query), resetUrlParams(params, query): for class URL.
    internal.makeUrlParams = (url, query) => {
      const params = new URLSearchParams();
      params.#list = parseForm(query);
      params.#url = url;
      return params;
    };
    internal.resetUrlParams = (params, query) => { params.#list = parseForm(query); };
  }

  #update() {
    if (this.#url !== undefined) internal.setUrlQuery(this.#url, serializeForm(this.#list));
  }

  get size() { return listOfParams(this).length / 2; }

  append(name, value) {
    const list = listOfParams(this);
    needArguments(arguments.length, 2, 'URLSearchParams.append');
    ArrayPrototypePush(list, toUsv(name), toUsv(value));
    this.#update();
  }

  delete(name, value = undefined) {
    const list = listOfParams(this);
    needArguments(arguments.length, 1, 'URLSearchParams.delete');
    const wanted = toUsv(name);
    const wantedValue = value === undefined ? undefined : toUsv(value);
    let kept = 0;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === wanted && (wantedValue === undefined || list[i + 1] === wantedValue)) continue;
      list[kept++] = list[i];
      list[kept++] = list[i + 1];
    }
    list.length = kept;
    this.#update();
  }

  get(name) {
    const list = listOfParams(this);
    needArguments(arguments.length, 1, 'URLSearchParams.get');
    const wanted = toUsv(name);
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === wanted) return list[i + 1];
    }
    return null;
  }

  getAll(name) {
    const list = listOfParams(this);
    needArguments(arguments.length, 1, 'URLSearchParams.getAll');
    const wanted = toUsv(name);
    const values = [];
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === wanted) ArrayPrototypePush(values, list[i + 1]);
    }
    return values;
  }

  has(name, value = undefined) {
    const list = listOfParams(this);
    needArguments(arguments.length, 1, 'URLSearchParams.has');
    const wanted = toUsv(name);
    const wantedValue = value === undefined ? undefined : toUsv(value);
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === wanted && (wantedValue === undefined || list[i + 1] === wantedValue)) return true;
    }
    return false;
  }

  set(name, value) {
    const list = listOfParams(this);
    needArguments(arguments.length, 2, 'URLSearchParams.set');
    const wanted = toUsv(name);
    const text = toUsv(value);
    let kept = 0;
    let isSet = false;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === wanted && isSet) continue;
      list[kept] = list[i];
      list[kept + 1] = list[i] === wanted ? text : list[i + 1];
      isSet ||= list[i] === wanted;
      kept += 2;
    }
    list.length = kept;
    if (!isSet) ArrayPrototypePush(list, wanted, text);
    this.#update();
  }

  // sort(): by name, in UTF-16 units; equal names keep their order.
  sort() {
    const list = listOfParams(this);
    const pairs = [];
    for (let i = 0; i < list.length; i += 2) ArrayPrototypePush(pairs, { name: list[i], value: list[i + 1] });
    ArrayPrototypeSort(pairs, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    for (let i = 0; i < pairs.length; i++) {
      list[i * 2] = pairs[i].name;
      list[i * 2 + 1] = pairs[i].value;
    }
    this.#update();
  }

  forEach(callback, thisArgument = undefined) {
    listOfParams(this);
    needFunction(callback, 'URLSearchParams.forEach: callback');
    for (let i = 0; i < listOfParams(this).length; i += 2) {
      const list = listOfParams(this);
      FunctionPrototypeCall(callback, thisArgument, list[i + 1], list[i], this);
    }
  }

  entries() { return iterate(this, 'entries'); }
  keys() { return iterate(this, 'keys'); }
  values() { return iterate(this, 'values'); }
  toString() { return serializeForm(listOfParams(this)); }
}
webInterface(URLSearchParams, 'URLSearchParams');
defineHidden(URLSearchParams.prototype, SymbolIterator, URLSearchParams.prototype.entries);
defineHidden(URLSearchParams.prototype, customInspect, function (depth, options, inspect) {
  if (typeof this !== 'object' || this === null || this === URLSearchParams.prototype ||
      !(this instanceof URLSearchParams)) {
    return this;
  }
  if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
  const list = listOfParams(this);
  const entries = [];
  for (let i = 0; i < list.length; i += 2) {
    ArrayPrototypePush(entries, `${inspect(list[i], options)} => ${inspect(list[i + 1], options)}`);
  }
  return linesOf('URLSearchParams', entries, options);
});

// linesOf(name, entries, options): on one line if they fit.
function linesOf(name, entries, options) {
  if (entries.length === 0) return `${name} {}`;
  const line = ArrayPrototypeJoin(entries, ', ');
  if (line.length + 4 <= options.breakLength && !StringPrototypeIncludes(line, '\n')) return `${name} { ${line} }`;
  return `${name} {\n  ${ArrayPrototypeJoin(entries, ',\n  ')} }`;
}

// --- iterators -------------------------------------------------------------------------------------------------------

// The iterators are live: they see what is appended on the way.
const states = new SafeWeakMap();
const iteratorPrototype = ObjectCreate(IteratorPrototype);
ObjectDefineProperty(iteratorPrototype, 'next', {
  __proto__: null,
  value: function next() {
    const state = states.get(this);
    if (state === undefined) throw illegalThis('URLSearchParams Iterator');
    const list = listOfParams(state.params);
    const { index } = state;
    if (index >= list.length) return { value: undefined, done: true };
    state.index += 2;
    if (state.kind === 'keys') return { value: list[index], done: false };
    if (state.kind === 'values') return { value: list[index + 1], done: false };
    return { value: [list[index], list[index + 1]], done: false };
  },
  writable: true, enumerable: true, configurable: true,
});
ObjectDefineProperty(iteratorPrototype, SymbolToStringTag, {
  __proto__: null, value: 'URLSearchParams Iterator', configurable: true,
});
defineHidden(iteratorPrototype, customInspect, function (depth, options, inspect) {
  const state = typeof this === 'object' ? states.get(this) : undefined;
  if (state === undefined) return this;
  const list = listOfParams(state.params);
  const entries = [];
  for (let i = state.index; i < list.length; i += 2) {
    const value = state.kind === 'keys' ? list[i] : state.kind === 'values' ? list[i + 1] : [list[i], list[i + 1]];
    ArrayPrototypePush(entries, inspect(value, options));
  }
  return linesOf('URLSearchParams Iterator', entries, options);
});

function iterate(params, kind) {
  listOfParams(params);
  const iterator = ObjectCreate(iteratorPrototype);
  states.set(iterator, { params, kind, index: 0 });
  return iterator;
}

internal.URLSearchParams = URLSearchParams;
internal.parseForm = parseForm;
