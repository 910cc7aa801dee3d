import { parse, tokenizer } from 'acorn';
const source = 'class A { #x = 1; get x() { return this.#x ?? 0n; } } export const f = async (a, ...b) => { for await (const c of b) yield_(c); };';
console.log(JSON.stringify(parse(source, { ecmaVersion: 2022, sourceType: 'module', locations: true }), (key, value) => (typeof value === 'bigint' ? `${value}n` : value)));
console.log([...tokenizer(source, { ecmaVersion: 2022, sourceType: 'module' })].map((token) => token.type.label).join(' '));
try { parse('let a; let a;', { ecmaVersion: 2022 }); } catch (error) { console.log(error.message); }
