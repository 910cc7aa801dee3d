// Compares types/ with what fino has at run time (the output of dump.mjs, on standard input): every module, export,
// global, and member of these must be on both sides. With `modules` it prints the names of the declared modules.
//
//   node compare.mjs modules
//   build/fino run dump.mjs MODULE... | node compare.mjs

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const ts = createRequire(import.meta.url)(join(root, 'build/npm/typescript-5.8/lib/typescript.js'));
const declarations = readdirSync(join(root, 'types')).map((name) => join(root, 'types', name));
const program = ts.createProgram(declarations, { lib: ['lib.es2022.d.ts'], types: [], strict: true });
const checker = program.getTypeChecker();
const ambient = checker.getAmbientModules().filter((symbol) => symbol.name.startsWith('"fino:'));
const nameOf = (module) => module.name.slice(1, -1);

if (process.argv[2] === 'modules') {
  console.log(ambient.map(nameOf).join('\n'));
  process.exit();
}

let failures = 0;
const complain = (text) => { console.log(text); failures++; };

const isOurs = (symbol) => symbol.declarations?.some((node) => declarations.includes(node.getSourceFile().fileName));
const isOptional = (symbol) => (symbol.flags & ts.SymbolFlags.Optional) !== 0;
const isNamed = (name) => !name.startsWith('__') && !name.startsWith('"') && name !== 'prototype';

function compareMembers(where, type, actual) {
  const declared = checker.getPropertiesOfType(type).filter((symbol) => isNamed(symbol.name));
  const names = declared.map((symbol) => symbol.name);
  for (const name of actual) if (!names.includes(name)) complain(`${where}.${name} is not in types/`);
  for (const symbol of declared) {
    if (isOurs(symbol) && !isOptional(symbol) && !actual.includes(symbol.name)) complain(`${where}.${symbol.name} is not there`);
  }
}

function compareValue(where, symbol, actual) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const type = checker.getTypeOfSymbol(target);
  const isAny = (type.flags & ts.TypeFlags.Any) !== 0;
  if (isAny || actual.members === undefined || !isOurs(target)) return;
  if (type.flags & ts.TypeFlags.Object && !checker.isArrayType(type) && type.getStringIndexType() === undefined) {
    compareMembers(where, type, actual.members);
  }
  const made = type.getConstructSignatures()[0]?.getReturnType() ??
    (target.flags & ts.SymbolFlags.Class ? checker.getDeclaredTypeOfSymbol(target) : undefined);
  if (made !== undefined && actual.instance !== undefined) compareMembers(`${where}.prototype`, made, actual.instance);
}

function compareNames(where, declared, actual) {
  for (const name of Object.keys(actual)) {
    const symbol = declared.get(name);
    if (symbol === undefined) complain(`${where}${name} is not in types/`);
    else compareValue(`${where}${name}`, symbol, actual[name]);
  }
  for (const [name, symbol] of declared) {
    if (!(name in actual) && isOurs(symbol)) complain(`${where}${name} is not there`);
  }
}

const isValue = (symbol) => {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return (target.flags & ts.SymbolFlags.Value) !== 0;
};
const byName = (symbols) => new Map(symbols.filter((symbol) => isValue(symbol) && isNamed(symbol.name))
  .map((symbol) => [symbol.name, symbol]));

const actual = JSON.parse(readFileSync(0, 'utf8'));
for (const name of actual.known) {
  if (!ambient.some((module) => nameOf(module) === name)) complain(`${name} is not in types/`);
}
for (const module of ambient) {
  compareNames(`${nameOf(module)} `, byName(checker.getExportsOfModule(module)), actual.modules[nameOf(module)]);
}
const everywhere = checker.getSymbolsInScope(program.getSourceFile(declarations[0]), ts.SymbolFlags.Value);
compareNames('', byName(everywhere), actual.globals);

console.log(`${ambient.length} modules, ${Object.keys(actual.globals).length} globals: ${failures} differences`);
process.exit(failures > 0 ? 1 : 0);
