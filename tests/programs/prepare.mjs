// Makes build/programs: what the programs beside this file import, as ES modules that fino and Node both load, from the
// packages in build/npm. Lines stay those of the packages' files, so that profiles can be compared. Run by Node.
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const npm = new URL('build/npm/', root);
const out = new URL('build/programs/', root);
const read = (path) => readFileSync(new URL(path, npm), 'utf8');
const write = (name, text) => writeFileSync(new URL(name, out), text);

// A CommonJS or UMD file as an ES module whose default export is module.exports; it finds no Node there.
function wrap(path, name) {
  const scope = 'const module = { exports: {} }, exports = module.exports, require = undefined, process = undefined;';
  write(name, `${scope} ${read(path)}\nexport default module.exports;\n`);
}

// At most LENGTH characters of TEXT, whole lines, as the default export of a module.
function text(path, name, length = Infinity) {
  const whole = read(path);
  const end = whole.length <= length ? whole.length : whole.lastIndexOf('\n', length) + 1;
  write(name, `export default ${JSON.stringify(whole.slice(0, end))};\n`);
}

mkdirSync(out, { recursive: true });
write('package.json', '{ "type": "module" }\n');

wrap('typescript/lib/typescript.js', 'typescript.mjs');
wrap('@babel/standalone/babel.js', 'babel.mjs');
for (const file of ['standalone.mjs', 'plugins/babel.mjs', 'plugins/estree.mjs']) {
  cpSync(new URL(`prettier/${file}`, npm), new URL(`prettier/${file}`, out));
}
cpSync(new URL('acorn/dist/acorn.mjs', npm), new URL('acorn.mjs', out));

// terser's sources are modules but for one bare specifier, of what only source maps need.
cpSync(new URL('terser/main.js', npm), new URL('terser/main.js', out));
cpSync(new URL('terser/lib/', npm), new URL('terser/lib/', out), { recursive: true });
const sourceMaps = read('terser/lib/sourcemap.js');
cpSync(new URL('terser/tools/domprops.js', npm), new URL('terser/tools/domprops.js', out));
write('terser/lib/sourcemap.js', sourceMaps.replace('"@jridgewell/source-map"', '"../no-source-maps.js"'));
write('terser/no-source-maps.js', 'export const SourceMapConsumer = undefined, SourceMapGenerator = undefined;\n');

text('typescript/lib/typescript.js', 'typescript_text.mjs', 600_000);
text('acorn/dist/acorn.mjs', 'acorn_text.mjs');
text('terser/lib/parse.js', 'terser_parse_text.mjs');

// The TypeScript programs, types blanked out in place by another eraser than fino's, are what Node runs.
cpSync(new URL('ts-blank-space/out/', npm), new URL('blank/', out), { recursive: true });
write('blank/index.js', read('ts-blank-space/out/index.js').replace('"typescript"', '"../typescript.mjs"'));
const { default: blankSpace } = await import(new URL('blank/index.js', out));
for (const file of readdirSync(new URL('./', import.meta.url))) {
  if (file.endsWith('.ts')) {
    write(file.replace('.ts', '.mjs'), blankSpace(readFileSync(new URL(file, import.meta.url), 'utf8')));
  }
}
