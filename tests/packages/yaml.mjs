import { parse, parseAllDocuments, parseDocument, stringify } from 'yaml';
const text = 'a: &x [1, 2.5, true, ~]\nb: *x\nc: |\n  two\n  lines\nd: !!set {e, f}\n2020-01-02: "x\\ty"\n---\n- second\n';
console.log(parseAllDocuments(text).map((document) => document.toJS()), parse('{a: 0x1f, b: .inf}'));
console.log(stringify({ list: [1, { deep: 'text: with colon' }], long: 'word '.repeat(30), multi: 'a\nb\n' }));
console.log(parseDocument('a: [1, 2').errors.map((error) => error.message));
