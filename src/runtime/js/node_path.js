// node:path: fino:file/path by Node's names.
'use strict';

const { StringPrototypeSlice, StringPrototypeEndsWith, TypeError } = internal.primordials;
const { describe } = internal;

function needPath(path) {
  if (typeof path === 'string') return;
  const error = new TypeError(`The "path" argument must be of type string. Received ${describe(path)}`);
  error.code = 'ERR_INVALID_ARG_TYPE';
  throw error;
}

const { delimiter, dirname, extname, format, isAbsolute, join, normalize, parse, relative, resolve, sep,
  basename: lastPart } = internal.pathModule.default;

// Node takes a whole name away only if more is left of the path.
function basename(path, suffix = undefined) {
  needPath(path);
  const base = lastPart(path);
  if (typeof suffix !== 'string' || suffix === '' || base === suffix || !StringPrototypeEndsWith(base, suffix)) return base;
  return StringPrototypeSlice(base, 0, base.length - suffix.length);
}

function checked(call) {
  return { [call.name](...paths) {
    for (let i = 0; i < paths.length; i++) needPath(paths[i]);
    return call(...paths);
  } }[call.name];
}

const path = {
  resolve: checked(resolve), normalize: checked(normalize), isAbsolute: checked(isAbsolute), join: checked(join),
  relative: checked(relative), toNamespacedPath: (name) => name, dirname: checked(dirname), basename,
  extname: checked(extname), format, parse: checked(parse), sep, delimiter,
};
path.posix = path;
path._makeLong = path.toNamespacedPath;

internal.nodePathModule = internal.nodeModule(path);
