import { marked, Lexer } from 'marked';
const text = '# Title\n\nSome *text* with `code`, a [link](https://example.com "t") and\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- one\n  1. two\n\n```js\nlet a = "<b>";\n```\n> quote\n';
console.log(marked.parse(text));
console.log(new Lexer({ gfm: true }).lex(text).map((token) => token.type).join());
