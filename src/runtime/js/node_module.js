// node:module: CommonJS for programs that ask for it by hand.
'use strict';

const { ArrayPrototypeIncludes, ArrayPrototypePush, ObjectKeys, StringPrototypeSlice, StringPrototypeStartsWith,
  TypeError } = internal.primordials;
const { Module, describe, makeRequire, nodeModulePaths } = internal;

// createRequire(filename): a `require` as the file of that path, or file: URL, would have it.
Module.createRequire = function createRequire(filename) {
  let path = filename;
  if (filename instanceof internal.URL || (typeof filename === 'string' && StringPrototypeStartsWith(filename, 'file:'))) {
    path = internal.fromFileUrl(filename);
  }
  if (typeof path !== 'string' || !StringPrototypeStartsWith(path, '/')) {
    const error = new TypeError('createRequire: filename must be a file: URL or an absolute path, not ' +
      `${describe(filename)}`);
    error.code = 'ERR_INVALID_ARG_VALUE';
    throw error;
  }
  const module = new Module(path);
  module.filename = path;
  return makeRequire(module);
};

const builtinModules = [];
const keys = ObjectKeys(internal.modules);
for (let i = 0; i < keys.length; i++) {
  if (StringPrototypeStartsWith(keys[i], 'node:')) ArrayPrototypePush(builtinModules, StringPrototypeSlice(keys[i], 5));
}
Module.builtinModules = builtinModules;
Module.isBuiltin = (name) => ArrayPrototypeIncludes(keys, name) || ArrayPrototypeIncludes(builtinModules, name);
Module._nodeModulePaths = nodeModulePaths;
Module.Module = Module;

internal.nodeModuleModule = internal.nodeModule(Module);
