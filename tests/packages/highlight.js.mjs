import highlight from 'highlight.js';
console.log(highlight.highlight('async function f(a) { return `x${a}` + /b/.test("c"); }', { language: 'javascript' }).value);
const found = highlight.highlightAuto('def f(x):\n    """doc"""\n    return [i ** 2 for i in range(x) if i % 2 == 0]\n', ['python', 'ruby', 'c', 'sql']);
console.log(found.language, found.relevance, found.value, highlight.listLanguages().length);
