// structuredClone, after the HTML Standard. The copying itself is V8's serializer, in C.
'use strict';

const { ArrayPrototypeIndexOf } = internal.primordials;
const { dictionary, listOf, needArguments } = internal;

internal.structuredClone = function structuredClone(value, options = undefined) {
  needArguments(arguments.length, 1, 'structuredClone');
  const { transfer } = dictionary(options, 'structuredClone: options');
  const list = transfer === undefined ? [] : listOf(transfer, 'structuredClone: options.transfer');
  for (let i = 0; i < list.length; i++) {
    if (native.typeTag(list[i]) !== 'ArrayBuffer') {
      throw internal.makeDOMException(`Value at index ${i} of transfer is not transferable`, 'DataCloneError');
    }
    if (ArrayPrototypeIndexOf(list, list[i]) !== i) {
      throw internal.makeDOMException(`Value at index ${i} of transfer is there twice`, 'DataCloneError');
    }
  }
  return native.structuredClone(value, list);
};
