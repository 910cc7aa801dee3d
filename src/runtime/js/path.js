// fino:file/path: paths as text, as POSIX has them. Nothing here looks at the file system.
'use strict';

const {
  ArrayPrototypeJoin, ArrayPrototypePop, ArrayPrototypePush, ObjectAssign, ObjectCreate, StringPrototypeCharCodeAt,
  StringPrototypeEndsWith, StringPrototypeIndexOf, StringPrototypeLastIndexOf, StringPrototypeSlice,
  StringPrototypeSplit, StringPrototypeStartsWith, TypeError,
} = internal.primordials;
const { describe } = internal;

const SLASH = 47;

function needPath(path, where) {
  if (typeof path !== 'string') throw new TypeError(`${where}: a path must be a string, not ${describe(path)}`);
}

const isAbsolute = (path) => {
  needPath(path, 'isAbsolute');
  return StringPrototypeStartsWith(path, '/');
};

// resolveDots(path, mayRise): the components, without "", "." and "name/..". mayRise: ".." at the front stays.
function resolveDots(path, mayRise) {
  const parts = StringPrototypeSplit(path, '/');
  const kept = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (part === '' || part === '.') continue;
    if (part !== '..') ArrayPrototypePush(kept, part);
    else if (kept.length > 0 && kept[kept.length - 1] !== '..') ArrayPrototypePop(kept);
    else if (mayRise) ArrayPrototypePush(kept, '..');
  }
  return kept;
}

function normalize(path) {
  needPath(path, 'normalize');
  if (path === '') return '.';
  const absolute = StringPrototypeStartsWith(path, '/');
  const text = ArrayPrototypeJoin(resolveDots(path, !absolute), '/');
  const tail = StringPrototypeEndsWith(path, '/') ? '/' : '';
  if (text === '') return absolute ? '/' : `.${tail}`;
  return `${absolute ? '/' : ''}${text}${tail}`;
}

function join(...paths) {
  let joined = '';
  for (let i = 0; i < paths.length; i++) {
    needPath(paths[i], 'join');
    if (paths[i] !== '') joined = joined === '' ? paths[i] : `${joined}/${paths[i]}`;
  }
  return normalize(joined);
}

function resolve(...paths) {
  let resolved = '';
  for (let i = paths.length - 1; i >= 0 && !StringPrototypeStartsWith(resolved, '/'); i--) {
    needPath(paths[i], 'resolve');
    if (paths[i] !== '') resolved = resolved === '' ? paths[i] : `${paths[i]}/${resolved}`;
  }
  if (!StringPrototypeStartsWith(resolved, '/')) resolved = `${native.cwd()}/${resolved}`;
  return `/${ArrayPrototypeJoin(resolveDots(resolved, false), '/')}`;
}

function relative(from, to) {
  needPath(from, 'relative');
  needPath(to, 'relative');
  const source = resolveDots(resolve(from), false);
  const target = resolveDots(resolve(to), false);
  let common = 0;
  while (common < source.length && common < target.length && source[common] === target[common]) common++;
  const parts = [];
  for (let i = common; i < source.length; i++) ArrayPrototypePush(parts, '..');
  for (let i = common; i < target.length; i++) ArrayPrototypePush(parts, target[i]);
  return ArrayPrototypeJoin(parts, '/');
}

// trimmedEnd(path): where path ends without the slashes at its end.
function trimmedEnd(path) {
  let end = path.length;
  while (end > 0 && StringPrototypeCharCodeAt(path, end - 1) === SLASH) end--;
  return end;
}

function dirname(path) {
  needPath(path, 'dirname');
  if (path === '') return '.';
  const end = trimmedEnd(path);
  if (end === 0) return '/';
  const slash = StringPrototypeLastIndexOf(StringPrototypeSlice(path, 0, end), '/');
  if (slash === -1) return '.';
  if (slash === 0) return '/';
  if (slash === 1 && StringPrototypeStartsWith(path, '//')) return '//';
  return StringPrototypeSlice(path, 0, slash);
}

function lastPart(path) {
  const trimmed = StringPrototypeSlice(path, 0, trimmedEnd(path));
  return StringPrototypeSlice(trimmed, StringPrototypeLastIndexOf(trimmed, '/') + 1);
}

function basename(path, suffix = '') {
  needPath(path, 'basename');
  needPath(suffix, 'basename');
  if (suffix !== '' && suffix === path) return '';
  const base = lastPart(path);
  if (suffix === '' || suffix === base || !StringPrototypeEndsWith(base, suffix)) return base;
  return StringPrototypeSlice(base, 0, base.length - suffix.length);
}

function extensionOf(base) {
  const dot = StringPrototypeLastIndexOf(base, '.');
  return dot <= 0 || base === '..' ? '' : StringPrototypeSlice(base, dot);
}

function extname(path) {
  needPath(path, 'extname');
  return extensionOf(lastPart(path));
}

function parse(path) {
  needPath(path, 'parse');
  const base = lastPart(path);
  const ext = extensionOf(base);
  const root = StringPrototypeStartsWith(path, '/') ? '/' : '';
  const end = trimmedEnd(path);
  const before = StringPrototypeSlice(path, 0, end - base.length);
  // What is before the base, without its last slash, but for the root's.
  const dir = before === '/' || before === '' ? root : StringPrototypeSlice(before, 0, before.length - 1);
  return { root, dir, base, ext, name: StringPrototypeSlice(base, 0, base.length - ext.length) };
}

function format(parts) {
  if (typeof parts !== 'object' || parts === null) {
    throw new TypeError(`format: parts must be an object, not ${describe(parts)}`);
  }
  const { root = '', name = '' } = parts;
  let { ext = '' } = parts;
  if (ext !== '' && !StringPrototypeStartsWith(ext, '.')) ext = `.${ext}`;
  const dir = parts.dir || root;
  const base = parts.base || `${name}${ext}`;
  if (!dir) return base;
  return dir === root ? `${dir}${base}` : `${dir}/${base}`;
}

// What a URL's path doesn't take as it is. "%" first: the others bring some in.
const escapes = [['%', '%25'], ['\\', '%5C'], ['\n', '%0A'], ['\r', '%0D'], ['\t', '%09'], ['?', '%3F'], ['#', '%23']];

function toFileUrl(path) {
  needPath(path, 'toFileUrl');
  let text = resolve(path);
  if (StringPrototypeEndsWith(path, '/') && text !== '/') text += '/';
  for (let i = 0; i < escapes.length; i++) {
    text = ArrayPrototypeJoin(StringPrototypeSplit(text, escapes[i][0]), escapes[i][1]);
  }
  const url = new internal.URL('file:///');
  url.pathname = text;
  return url;
}

function fromFileUrl(url) {
  const parsed = typeof url === 'string' ? new internal.URL(url) : url;
  if (!(parsed instanceof internal.URL)) {
    throw new TypeError(`fromFileUrl: url must be a URL or a string, not ${describe(url)}`);
  }
  if (parsed.protocol !== 'file:') throw new TypeError(`fromFileUrl: not a file: URL: ${parsed.href}`);
  if (parsed.hostname !== '') throw new TypeError(`fromFileUrl: the URL is of another host: ${parsed.href}`);
  const { pathname } = parsed;
  if (StringPrototypeIndexOf(pathname, '%2F') !== -1 || StringPrototypeIndexOf(pathname, '%2f') !== -1) {
    throw new TypeError(`fromFileUrl: the URL has an encoded slash, which no name can have: ${parsed.href}`);
  }
  return internal.primordials.decodeURIComponent(pathname);
}

const exported = {
  __proto__: null, basename, delimiter: ':', dirname, extname, format, fromFileUrl, isAbsolute, join, normalize, parse,
  relative, resolve, sep: '/', toFileUrl,
};
internal.fromFileUrl = fromFileUrl;
internal.joinPath = join;
internal.pathModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
