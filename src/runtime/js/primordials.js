// Intrinsics as they were before user code ran.
//
// Built-ins never reach for a method through a prototype chain that user code can edit: they call the copies kept here.
// Methods are uncurried, `ArrayPrototypePush(list, x)` for `list.push(x)`; statics keep their owner's name,
// `ObjectKeys`. Iteration protocols (spread, for-of, array destructuring) are editable too, so the built-ins index
// their arrays. Only what is used is captured: this runs at every start.
'use strict';

const { bind, call } = Function.prototype;
const uncurryThis = bind.bind(call);
const { defineProperty, getOwnPropertyDescriptor } = Object;
const { getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
const TypedArray = getPrototypeOf(Uint8Array);

const primordials = { __proto__: null };

const constructors = {
  Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Error, FinalizationRegistry, Float64Array, Function, Map, Number,
  Object, Promise, Proxy, RangeError, ReferenceError, RegExp, Set, String, Symbol, TypeError, Uint8Array, WeakMap, WeakRef,
  WeakSet,
};

const statics = {
  Array: 'isArray',
  ArrayBuffer: 'isView',
  Error: 'captureStackTrace',
  Number: 'isInteger parseFloat parseInt',
  Object: 'assign create defineProperty freeze getOwnPropertyDescriptor getOwnPropertyDescriptors ' +
    'getOwnPropertyNames getOwnPropertySymbols getPrototypeOf hasOwn is keys setPrototypeOf',
  String: 'fromCharCode fromCodePoint',
  Symbol: 'for',
};

const methods = {
  Array: 'includes indexOf join pop push shift slice sort splice unshift',
  BigInt: 'valueOf',
  Boolean: 'valueOf',
  Date: 'getTime toISOString toString',
  Error: 'toString',
  FinalizationRegistry: 'register unregister',
  Function: 'call toString',
  Map: 'forEach',
  Number: 'toFixed toString valueOf',
  Promise: 'then',
  Object: 'propertyIsEnumerable',
  RegExp: 'exec toString',
  Set: 'forEach',
  String: 'charCodeAt codePointAt endsWith includes indexOf lastIndexOf normalize padEnd padStart repeat replaceAll ' +
    'slice split startsWith toLowerCase toUpperCase trim valueOf',
  Symbol: 'toString valueOf',
  WeakRef: 'deref',
};

const accessors = { Map: ['size'], Set: ['size'], DataView: ['byteLength', 'byteOffset', 'buffer'] };

const capitalise = (name) => name[0].toUpperCase() + name.slice(1);

for (const name of Object.keys(constructors)) primordials[name] = constructors[name];
for (const owner of Object.keys(statics)) {
  for (const name of statics[owner].split(' ')) primordials[owner + capitalise(name)] = constructors[owner][name];
}
for (const owner of Object.keys(methods)) {
  const { prototype } = constructors[owner];
  for (const name of methods[owner].split(' ')) {
    primordials[`${owner}Prototype${capitalise(name)}`] = uncurryThis(prototype[name]);
  }
}
for (const owner of Object.keys(accessors)) {
  for (const name of accessors[owner]) {
    const { get } = getOwnPropertyDescriptor(constructors[owner].prototype, name);
    primordials[`${owner}PrototypeGet${capitalise(name)}`] = uncurryThis(get);
  }
}
for (const name of ['buffer', 'byteLength', 'byteOffset', 'length', Symbol.toStringTag]) {
  const { get } = getOwnPropertyDescriptor(TypedArray.prototype, name);
  const suffix = typeof name === 'symbol' ? 'SymbolToStringTag' : capitalise(name);
  primordials[`TypedArrayPrototypeGet${suffix}`] = uncurryThis(get);
}
for (const name of ['set', 'slice', 'subarray']) {
  primordials[`TypedArrayPrototype${capitalise(name)}`] = uncurryThis(TypedArray.prototype[name]);
}
for (const name of ['ceil', 'floor', 'max', 'min', 'round', 'sqrt', 'trunc']) {
  primordials[`Math${capitalise(name)}`] = Math[name];
}
for (const name of ['apply', 'construct', 'getOwnPropertyDescriptor', 'has', 'ownKeys']) {
  primordials[`Reflect${capitalise(name)}`] = Reflect[name];
}
for (const name of ['asyncIterator', 'iterator', 'toPrimitive', 'toStringTag']) {
  primordials[`Symbol${capitalise(name)}`] = Symbol[name];
}
primordials.JSONStringify = JSON.stringify;
primordials.JSONParse = JSON.parse;
primordials.PromiseReject = Promise.reject.bind(Promise);
primordials.PromiseResolve = Promise.resolve.bind(Promise);
primordials.decodeURIComponent = decodeURIComponent;
primordials.IteratorPrototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
primordials.AsyncIteratorPrototype = getPrototypeOf(getPrototypeOf(async function* () {}.prototype));

// safe(Base): a subclass of Base whose methods are its own copies, so that `map.get(k)` cannot be intercepted.
function safe(Base) {
  class Safe extends Base {
    // The implicit constructor would spread its arguments, with the array iterator that user code can change.
    constructor() { super(); }
  }
  const { prototype } = Safe;
  for (const key of ownKeys(Base.prototype)) {
    if (key !== 'constructor') defineProperty(prototype, key, getOwnPropertyDescriptor(Base.prototype, key));
  }
  setPrototypeOf(prototype, null);
  return Safe;
}

primordials.SafeMap = safe(Map);
primordials.SafeSet = safe(Set);
primordials.SafeWeakMap = safe(WeakMap);

internal.primordials = primordials;
