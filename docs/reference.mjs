// The API reference, from the declarations in types/ and their comments.
//
//   node docs/reference.mjs DIR              writes DIR/README.md and a page for each module and for the globals
//   node docs/reference.mjs DIR examples     writes each example to DIR/NUMBER/example.ts, with what it must print, if it
//                                            says so, in DIR/NUMBER/expected
//
// ./build.sh docs runs it; tests/e2e/test-docs.sh runs the examples.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ts = createRequire(import.meta.url)(join(root, 'build/npm/typescript-5.8/lib/typescript.js'));
const [out, what] = process.argv.slice(2);

const textOf = (comment) => (typeof comment === 'string' ? comment : ts.getTextOfJSDocComment(comment) ?? '');
const docsOf = (node) => node.jsDoc ?? [];

function examplesOf(node) {
  return docsOf(node).flatMap((doc) => doc.tags ?? []).filter((tag) => tag.tagName.text === 'example').map((tag) => {
    const [, code] = /```ts\n([^]*?)\n```/.exec(textOf(tag.comment)) ?? [];
    if (code === undefined) throw new Error(`an example without code: ${node.getText()}`);
    return code;
  });
}

// The declaration as it stands, without the comment that goes above it, moved to the left margin.
function sourceOf(node, file) {
  const start = node.getStart(file, false);
  const { character } = file.getLineAndCharacterOfPosition(start);
  return file.text.slice(start, node.end).replace(new RegExp(`^ {${character}}`, 'gm'), '')
    .replace(/\n *\* @example[^]*?```ts[^]*?```/g, '').replace(/^(export|declare) /, '');
}

const nameOf = (node) => node.name?.text ?? node.declarationList?.declarations.map((each) => each.name.text).join(', ');

function sectionOf(node, file) {
  const name = nameOf(node);
  if (name === undefined || name === 'exported') return '';
  const prose = docsOf(node).map((doc) => textOf(doc.comment)).join('\n\n');
  const members = (node.members ?? []).flatMap(examplesOf);
  const examples = [...examplesOf(node), ...members].map((code) => `Example:\n\n\`\`\`ts\n${code}\n\`\`\`\n`);
  return `## ${name}\n\n${prose ? `${prose}\n\n` : ''}\`\`\`ts\n${sourceOf(node, file)}\n\`\`\`\n\n${examples.join('\n')}`;
}

const pages = new Map(); // title -> sections
const examples = [];
function add(title, node, file) {
  const section = sectionOf(node, file);
  if (section !== '') pages.set(title, [...(pages.get(title) ?? []), section]);
  examples.push(...examplesOf(node), ...(node.members ?? []).flatMap(examplesOf));
}

for (const name of readdirSync(join(root, 'types')).sort()) {
  const file = ts.createSourceFile(name, readFileSync(join(root, 'types', name), 'utf8'), ts.ScriptTarget.Latest, true);
  for (const node of file.statements) {
    if (!ts.isModuleDeclaration(node) || !ts.isStringLiteral(node.name)) add('Globals', node, file);
    else for (const inner of node.body.statements) add(node.name.text, inner, file);
  }
}

// What an example must print: the comments behind console.log(...), and on the lines after it.
function expectedOf(code) {
  const lines = code.split('\n');
  const expected = [];
  lines.forEach((line, i) => {
    const [, behind] = /console\.log\(.*\);? \/\/ (.*)$/.exec(line) ?? [];
    if (behind !== undefined) expected.push(behind);
    else if (/^\/\/ /.test(line) && /console\.log|^\/\/ /.test(lines[i - 1] ?? '')) expected.push(line.slice(3));
  });
  return expected;
}

if (what === 'examples') {
  examples.forEach((code, i) => {
    const directory = join(out, `${i + 1}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'example.ts'), `${code}\n`);
    if (expectedOf(code).length > 0) writeFileSync(join(directory, 'expected'), `${expectedOf(code).join('\n')}\n`);
  });
} else {
  mkdirSync(out, { recursive: true });
  const fileOf = (title) => `${title.toLowerCase().replace(/^fino:/, '').replaceAll('/', '-')}.md`;
  for (const [title, sections] of pages) writeFileSync(join(out, fileOf(title)), `# ${title}\n\n${sections.join('\n')}`);
  const titles = [...pages.keys()].sort();
  writeFileSync(join(out, 'README.md'), `# fino's modules and globals\n\n${titles.map((title) => `- [${title}](${fileOf(title)})\n`).join('')}`);
  console.log(`${out}: ${pages.size} pages, ${[...pages.values()].flat().length} declarations, ${examples.length} examples`);
}
