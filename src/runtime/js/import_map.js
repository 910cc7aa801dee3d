// ImportMap: what a sandbox may import, as rules of which the last that matches decides. Here they are checked and
// turned into what C takes; import_rules.h says what they do.
'use strict';

const {
  ArrayIsArray, ArrayPrototypeJoin, ArrayPrototypePush, JSONStringify, ObjectKeys, SafeWeakMap, SymbolToStringTag,
  TypeError,
} = internal.primordials;
const { defineHidden, describe, listOf } = internal;

// In the order of enum rt_import_directive. `more`: the other property of such a rule.
const directives = [
  { name: 'allow' },
  { name: 'block' },
  { name: 'remap', more: 'to' },
  { name: 'source', more: 'text' },
  { name: 'facade', more: 'exports' },
];

function textOf(value, where) {
  if (typeof value === 'object' && value !== null && value instanceof internal.URL) return value.href;
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${where} must be a string that isn't empty, or a URL, not ${describe(value)}`);
}

// facadeOf(names, where): a module that exports these of another.
function facadeOf(names, where) {
  const parts = [];
  const list = listOf(names, where);
  for (let i = 0; i < list.length; i++) {
    const quoted = JSONStringify(textOf(list[i], `${where}[${i}]`));
    ArrayPrototypePush(parts, `${quoted} as ${quoted}`);
  }
  return `export { ${ArrayPrototypeJoin(parts, ', ')} } from 'behind the facade';`;
}

function moreOf(directive, value, where) {
  switch (directive) {
    case 'remap':
      return textOf(value, where);
    case 'source':
      if (typeof value === 'string') return value;
      throw new TypeError(`${where} must be a string, the text of a module, not ${describe(value)}`);
    default:
      return facadeOf(value, where);
  }
}

// addRule(words, rule, where): appends [directive, pattern, text].
function addRule(words, rule, where) {
  const keys = typeof rule === 'object' && rule !== null ? ObjectKeys(rule) : [];
  for (let i = 0; i < directives.length; i++) {
    const { name, more } = directives[i];
    if (rule === null || rule === undefined || rule[name] === undefined) continue;
    const shape = more === undefined ? `{ ${name} }` : `{ ${name}, ${more} }`;
    if (keys.length !== (more === undefined ? 1 : 2) || (more !== undefined && rule[more] === undefined)) {
      throw new TypeError(`${where} must be ${shape}, not an object of ${ArrayPrototypeJoin(keys, ', ')}`);
    }
    ArrayPrototypePush(words, i);
    ArrayPrototypePush(words, textOf(rule[name], `${where}.${name}`));
    ArrayPrototypePush(words, more === undefined ? '' : moreOf(name, rule[more], `${where}.${more}`));
    return;
  }
  throw new TypeError(`${where} must be { allow }, { block }, { remap, to }, { source, text } or { facade, exports }, ` +
    `each of a pattern, not ${describe(rule)}`);
}

const wordsOf = new SafeWeakMap(); // of each ImportMap

class ImportMap {
  constructor(caller, denies, rules, where) {
    if (caller !== native) throw new TypeError('Illegal constructor: use ImportMap.deny() or ImportMap.inherit()');
    const words = [denies];
    const list = ArrayIsArray(rules) ? rules : listOf(rules, where);
    for (let i = 0; i < list.length; i++) addRule(words, list[i], `${where}[${i}]`);
    wordsOf.set(this, words);
  }

  // Nothing but what the rules grant.
  static deny(rules = []) { return new ImportMap(native, true, rules, 'ImportMap.deny: rules'); }
  // What the owner may import, but for the rules.
  static inherit(rules = []) { return new ImportMap(native, false, rules, 'ImportMap.inherit: rules'); }
}
defineHidden(ImportMap.prototype, SymbolToStringTag, 'ImportMap');

// importMapWords(map): for native.realmNew; undefined: it is no ImportMap.
internal.importMapWords = (map) => (typeof map === 'object' && map !== null ? wordsOf.get(map) : undefined);

internal.ImportMap = ImportMap;
