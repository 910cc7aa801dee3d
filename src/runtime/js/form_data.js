// class FormData, after the XMLHttpRequest Standard: a list of names and values, each a string or a File.
'use strict';

const {
  ArrayPrototypePush, ObjectCreate, ReflectApply, SymbolIterator, SymbolToStringTag, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, describe, illegalThis, needArguments, needFunction, toUsv, webInterface } =
  internal;
const { asFile, blobBytes, isFile } = internal.blobs;

// A blob becomes a file, of the name that was given, or its own.
function toValue(value, filename, hasFilename, where) {
  if (blobBytes(value) !== undefined) {
    if (hasFilename) return asFile(value, toUsv(filename));
    return isFile(value) ? value : asFile(value, 'blob');
  }
  if (hasFilename) throw new TypeError(`${where}: only a Blob has a file's name, not ${describe(value)}`);
  return toUsv(value);
}

const FormDataIteratorPrototype = ObjectCreate(internal.primordials.IteratorPrototype);
defineHidden(FormDataIteratorPrototype, SymbolToStringTag, 'FormData Iterator');

// Live: what is appended meanwhile comes, too.
function iterate(list, pick) {
  let index = 0;
  const iterator = ObjectCreate(FormDataIteratorPrototype);
  defineHidden(iterator, 'next', () => {
    if (index >= list.length) return { value: undefined, done: true };
    index += 2;
    return { value: pick(list[index - 2], list[index - 1]), done: false };
  });
  return iterator;
}

let ownList; // ownList(form): its list; throws unless it is a FormData

class FormData {
  #list = [];

  constructor(form = undefined) {
    if (form !== undefined) throw new TypeError('FormData: there are no forms to take the data from');
  }

  static {
    // formList(value): the flat list of a FormData (name, value, name, ...), undefined for all else.
    internal.formList = (value) => (
      typeof value === 'object' && value !== null && #list in value ? value.#list : undefined);
    ownList = (value) => {
      const list = internal.formList(value);
      if (list === undefined) throw illegalThis('FormData');
      return list;
    };
  }

  append(name, value, filename = undefined) {
    const list = ownList(this);
    needArguments(arguments.length, 2, 'FormData.append');
    const text = toUsv(name);
    ArrayPrototypePush(list, text, toValue(value, filename, arguments.length > 2, 'FormData.append'));
  }

  // In the place of the first of that name; the others go.
  set(name, value, filename = undefined) {
    const list = ownList(this);
    needArguments(arguments.length, 2, 'FormData.set');
    const wanted = toUsv(name);
    const own = toValue(value, filename, arguments.length > 2, 'FormData.set');
    let kept = 0;
    let isSet = false;
    for (let i = 0; i < list.length; i += 2) {
      const isOne = list[i] === wanted;
      if (isOne && isSet) continue;
      list[kept] = list[i];
      list[kept + 1] = isOne ? own : list[i + 1];
      isSet ||= isOne;
      kept += 2;
    }
    list.length = kept;
    if (!isSet) ArrayPrototypePush(list, wanted, own);
  }

  delete(name) {
    const list = ownList(this);
    needArguments(arguments.length, 1, 'FormData.delete');
    const wanted = toUsv(name);
    let kept = 0;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === wanted) continue;
      list[kept++] = list[i];
      list[kept++] = list[i + 1];
    }
    list.length = kept;
  }

  get(name) {
    const list = ownList(this);
    needArguments(arguments.length, 1, 'FormData.get');
    const wanted = toUsv(name);
    for (let i = 0; i < list.length; i += 2) if (list[i] === wanted) return list[i + 1];
    return null;
  }

  getAll(name) {
    const list = ownList(this);
    needArguments(arguments.length, 1, 'FormData.getAll');
    const wanted = toUsv(name);
    const values = [];
    for (let i = 0; i < list.length; i += 2) if (list[i] === wanted) ArrayPrototypePush(values, list[i + 1]);
    return values;
  }

  has(name) {
    const list = ownList(this);
    needArguments(arguments.length, 1, 'FormData.has');
    const wanted = toUsv(name);
    for (let i = 0; i < list.length; i += 2) if (list[i] === wanted) return true;
    return false;
  }

  forEach(callback, thisArgument = undefined) {
    const list = ownList(this);
    needFunction(callback, 'FormData.forEach: callback');
    for (let i = 0; i < list.length; i += 2) ReflectApply(callback, thisArgument, [list[i + 1], list[i], this]);
  }

  entries() { return iterate(ownList(this), (name, value) => [name, value]); }
  keys() { return iterate(ownList(this), (name) => name); }
  values() { return iterate(ownList(this), (name, value) => value); }
}
webInterface(FormData, 'FormData');
defineHidden(FormData.prototype, SymbolIterator, FormData.prototype.entries);
defineHidden(FormData.prototype, customInspect, function (depth, options, inspect) {
  const list = internal.formList(this);
  if (list === undefined) return this;
  const shown = { __proto__: null };
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i];
    if (shown[name] === undefined) shown[name] = [];
    ArrayPrototypePush(shown[name], list[i + 1]);
  }
  for (const name in shown) if (shown[name].length === 1) shown[name] = shown[name][0];
  return `FormData ${inspect({ ...shown }, options)}`;
});

internal.FormData = FormData;
