// Helpers that every other built-in uses: lazy properties, the shape WebIDL gives a class, argument checks.
'use strict';

const {
  ArrayBuffer, ArrayBufferIsView, ArrayPrototypePush, Error, ObjectAssign, ObjectCreate, ObjectDefineProperty, ObjectGetOwnPropertyDescriptor,
  ReflectOwnKeys, RegExpPrototypeExec, String, StringPrototypeSlice, SymbolFor, SymbolIterator, SymbolToStringTag, TypeError, Uint8Array,
} = internal.primordials;

// A method of this name, on any object, says how `inspect` shows the object. Node's programs use the same symbol.
internal.customInspect = SymbolFor('nodejs.util.inspect.custom');

// lazyProperty(target, name, file): `target[name]` is `internal[name]`, and reading it first runs the built-in `file`.
// Assigning replaces it, as it would a plain property. `own`: its name in `internal`, if that is another.
internal.lazyProperty = (target, name, file, enumerable = false, own = name) => {
  const settle = (value) => {
    ObjectDefineProperty(target, name, { __proto__: null, value, writable: true, enumerable, configurable: true });
  };
  ObjectDefineProperty(target, name, {
    __proto__: null,
    get() {
      internal.load(file);
      if (target !== internal) settle(internal[own]);
      // Owned by `file`, which has just assigned it: no accessor any more.
      return ObjectGetOwnPropertyDescriptor(internal, own).value;
    },
    set: settle,
    enumerable,
    configurable: true,
  });
};

const ofEveryFunction = { __proto__: null, length: true, name: true, prototype: true };

function makeEnumerable(holder) {
  const keys = ReflectOwnKeys(holder);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (typeof key === 'symbol' || key === 'constructor') continue;
    if (typeof holder === 'function' && ofEveryFunction[key]) continue;
    const descriptor = ObjectGetOwnPropertyDescriptor(holder, key);
    descriptor.enumerable = true;
    ObjectDefineProperty(holder, key, descriptor);
  }
}

// webInterface(Class, name): enumerable operations and attributes, and a string tag, as WebIDL defines an interface.
internal.webInterface = (Class, name) => {
  makeEnumerable(Class.prototype);
  makeEnumerable(Class);
  ObjectDefineProperty(Class.prototype, SymbolToStringTag, { __proto__: null, value: name, configurable: true });
  return Class;
};

// defineHidden(holder, key, value): writable and configurable, not enumerable.
internal.defineHidden = (holder, key, value) => {
  ObjectDefineProperty(holder, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
};

// errorWithCode(message, code): an Error that programs can tell from others.
internal.errorWithCode = (message, code) => {
  const error = new Error(message);
  error.code = code;
  return error;
};

// bytesOf(value): of an ArrayBuffer or a view, as a Uint8Array on the same memory; undefined for all else.
internal.bytesOf = (value) => {
  if (value instanceof Uint8Array) return value;
  if (ArrayBufferIsView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
};

// toUsv(value): a string, lone surrogates replaced.
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
internal.toUsv = (value) => {
  let text = `${value}`;
  for (let found; (found = RegExpPrototypeExec(loneSurrogate, text)) !== null;) {
    text = `${StringPrototypeSlice(text, 0, found.index)}\ufffd${StringPrototypeSlice(text, found.index + 1)}`;
  }
  return text;
};

// currentLabels(): those of what runs, for timers and their like to keep; fino:profiler replaces it when there are any.
internal.currentLabels = () => 0;

// illegalThis(name): what a method throws when its receiver is not one of its own objects.
internal.illegalThis = (name) => new TypeError(`Illegal invocation: 'this' is not a ${name}`);

// needArguments(count, needed, where): WebIDL counts arguments before it converts any.
internal.needArguments = (count, needed, where) => {
  if (count < needed) {
    throw new TypeError(`${where}: ${needed} argument${needed === 1 ? '' : 's'} required, but only ${count} present`);
  }
};

// nodeModule(exports): what an import of a module of Node's that is EXPORTS gives: names, and all as the default.
internal.nodeModule = (exports) => ObjectAssign(ObjectCreate(null), exports, { default: exports });

// describe(value): a short text for error messages.
internal.describe = (value) => {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string') return value.length > 30 ? 'a string' : `'${value}'`;
  return String(value);
};

internal.needFunction = (value, name) => {
  if (typeof value !== 'function') {
    throw new TypeError(`${name} must be a function, not ${internal.describe(value)}`);
  }
};

// dictionary(value, where): undefined and null are an empty dictionary, anything else must be an object.
internal.dictionary = (value, where) => {
  if (value === undefined || value === null) return { __proto__: null };
  if (typeof value !== 'object' && typeof value !== 'function') {
    throw new TypeError(`${where} must be an object, not ${internal.describe(value)}`);
  }
  return value;
};

// listOf(iterable, where, convert): its items as an array, each converted as it comes, by the iteration protocol, which for
// a plain array is user code only if somebody changed it.
internal.listOf = (iterable, where, convert = (item) => item) => {
  if (typeof iterable !== 'object' && typeof iterable !== 'function' || iterable === null ||
      typeof iterable[SymbolIterator] !== 'function') {
    throw new TypeError(`${where} must be iterable, not ${internal.describe(iterable)}`);
  }
  const items = [];
  for (const item of iterable) ArrayPrototypePush(items, convert(item));
  return items;
};
