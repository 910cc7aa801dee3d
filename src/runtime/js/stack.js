// What `error.stack` is once a module was loaded whose columns V8 does not know, since lowering its TypeScript put more
// on a line than was there: the text that V8 makes itself, with the columns that are in the file.
'use strict';

const {
  Error, ErrorPrototypeToString, ObjectDefineProperty, ReflectApply, StringPrototypeLastIndexOf, StringPrototypeSlice,
} = internal.primordials;

const { sourceColumn } = native;

// As V8 does: an error whose `message` or `toString` throws has a stack all the same.
function headOf(error) {
  try {
    return ErrorPrototypeToString(error);
  } catch (thrown) {
    try {
      return `<error: ${ErrorPrototypeToString(thrown)}>`;
    } catch {
      return '<error>';
    }
  }
}

const defineMethod = (site, name, value) => {
  ObjectDefineProperty(site, name, {
    __proto__: null,
    value() {
      return value;
    },
  });
};

// Methods of call sites can be replaced neither on their prototype nor by user code, but hidden by a site's own.
function moveColumn(site) {
  const path = site.getFileName();
  const line = site.getLineNumber();
  const column = site.getColumnNumber();
  if (typeof path !== 'string' || line === null || column === null) return;
  const moved = sourceColumn(path, line, column);
  if (moved === column) return;
  const text = site.toString();
  const place = `:${line}:${column}`;
  const at = StringPrototypeLastIndexOf(text, place);
  defineMethod(site, 'getColumnNumber', moved);
  if (at === -1) return;
  const end = StringPrototypeSlice(text, at + place.length);
  defineMethod(site, 'toString', `${StringPrototypeSlice(text, 0, at)}:${line}:${moved}${end}`);
}

internal.formatStack = (error, sites) => {
  for (let i = 0; i < sites.length; i++) moveColumn(sites[i]);
  const prepare = Error.prepareStackTrace;
  if (typeof prepare === 'function') return ReflectApply(prepare, Error, [error, sites]);
  let text = headOf(error);
  for (let i = 0; i < sites.length; i++) text += `\n    at ${sites[i].toString()}`;
  return text;
};
