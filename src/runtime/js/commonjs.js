// CommonJS: what files with `require`, `module` and `exports` see, and the table of those that were loaded.
//
// Which file a specifier means, and whether it is CommonJS, is C's business (native.commonjsFind).
'use strict';

const {
  ArrayIsArray, ArrayPrototypePush, ReflectApply, SafeMap, StringPrototypeEndsWith,
  StringPrototypeLastIndexOf, StringPrototypeSlice, TypeError,
} = internal.primordials;
const { defineHidden, describe } = internal;

const cache = { __proto__: null }; // of the files, by their paths: programs see and change it as require.cache
let main; // the Module of the main script, if that is CommonJS

function directoryOf(path) {
  const slash = StringPrototypeLastIndexOf(path, '/');
  return slash > 0 ? StringPrototypeSlice(path, 0, slash) : slash === 0 ? '/' : '.';
}

// nodeModulePaths(directory): where packages are looked for, the nearest first.
function nodeModulePaths(directory) {
  const paths = [];
  for (let at = directory; ; at = directoryOf(at)) {
    if (!StringPrototypeEndsWith(at, '/node_modules')) {
      ArrayPrototypePush(paths, at === '/' ? '/node_modules' : `${at}/node_modules`);
    }
    if (at === '/' || at === '.') return paths;
  }
}

class Module {
  constructor(id = '', parent = undefined) {
    this.id = id;
    this.path = directoryOf(id);
    this.exports = {};
    defineHidden(this, 'parent', parent);
    if (parent !== undefined) ArrayPrototypePush(parent.children, this);
    this.filename = null;
    this.loaded = false;
    this.children = [];
  }

  get paths() { return nodeModulePaths(this.path); }

  require(specifier) { return makeRequire(this)(specifier); }
}

function loadFile(module, filename) {
  const body = native.commonjsCompile(filename);
  ReflectApply(body, module.exports, [module.exports, makeRequire(module), module, filename, directoryOf(filename)]);
}

// load(filename, parent): the module of a CommonJS file; one that is running, as far as it got.
function load(filename, parent, isMain = false) {
  const known = cache[filename];
  if (known !== undefined) return known;
  const module = new Module(isMain ? '.' : filename, parent);
  module.filename = filename;
  module.path = directoryOf(filename);
  if (isMain) main = module;
  cache[filename] = module;
  let hasRun = false;
  try {
    loadFile(module, filename);
    hasRun = true;
  } finally {
    if (!hasRun) delete cache[filename]; // the next to require it tries anew
  }
  module.loaded = true;
  return module;
}

function needSpecifier(specifier, where) {
  if (typeof specifier !== 'string') {
    const error = new TypeError(`${where}: the specifier must be a string, not ${describe(specifier)}`);
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  }
}

// makeRequire(module): its `require`.
function makeRequire(module) {
  const referrer = module.filename ?? `${directoryOf(module.id)}/`;
  const found = new SafeMap(); // what specifiers mean in this file: which file that is doesn't change any more

  function require(specifier) {
    needSpecifier(specifier, 'require');
    let what = found.get(specifier);
    if (what === undefined) found.set(specifier, what = native.commonjsFind(specifier, referrer));
    return typeof what === 'string' ? load(what, module).exports : what[0];
  }

  require.resolve = function resolve(specifier, options = undefined) {
    needSpecifier(specifier, 'require.resolve');
    const paths = options?.paths;
    if (!ArrayIsArray(paths)) return shown(native.commonjsResolve(specifier, referrer), specifier);
    for (let i = 0; ; i++) {
      try {
        return shown(native.commonjsResolve(specifier, i < paths.length ? `${paths[i]}/.` : referrer), specifier);
      } catch (error) {
        if (i >= paths.length) throw error;
      }
    }
  };
  require.resolve.paths = () => nodeModulePaths(directoryOf(referrer));
  require.cache = cache;
  require.main = main;
  return require;
}

// A built-in module is called as the program called it: 'fs' is 'fs'.
const shown = (path, specifier) => (path === `node:${specifier}` ? specifier : path);

internal.Module = Module;
internal.makeRequire = makeRequire;
internal.nodeModulePaths = nodeModulePaths;
// importCommonJs(filename, isMain): called by C, for an import or the main script.
internal.importCommonJs = (filename, isMain) => load(filename, undefined, isMain).exports;
