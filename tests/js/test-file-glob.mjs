// DiskFileSystem.glob: what patterns mean, in order and once each, also beneath a root, which it doesn't leave.
import { deepEqual, equal, rejects, throws } from './assert.mjs';
import { DiskFileSystem } from 'fino:file';

const disk = new DiskFileSystem();
const work = await disk.mkdtemp('/tmp/fino-test-');
const root = new DiskFileSystem(work);
const names = ['a.js', 'a.ts', 'b.ts', 'B.TS', '.hidden.ts', 'src/c.ts', 'src/deep/er/d.ts', 'src/deep/e.js', 'src/.git/f.ts',
  'x[1].ts', 'x*y', 'src/{q}.ts', '\u{1f600}.ts', 'outer/secret.ts'];

async function all(pattern, options, fs = disk, where = work) {
  const paths = [];
  for await (const path of fs.glob(pattern, fs === disk ? { cwd: where, ...options } : options)) paths.push(path);
  return paths;
}

const cases = [
  ['*.ts', ['a.ts', 'b.ts', 'x[1].ts', '\u{1f600}.ts']],
  ['a.*', ['a.js', 'a.ts']],
  ['?.ts', ['a.ts', 'b.ts', '\u{1f600}.ts']],
  ['[a-b].ts', ['a.ts', 'b.ts']],
  ['[!a].ts', ['b.ts', '\u{1f600}.ts']],
  ['[^a-z].ts', ['\u{1f600}.ts']],
  ['[]a].ts', ['a.ts']],
  ['x\\[1\\].ts', ['x[1].ts']],
  ['x[[]1[]].ts', ['x[1].ts']],
  ['x\\**', ['x*y']],
  ['x\\*y', ['x*y']],
  ['{a,b}.{js,ts}', ['a.js', 'a.ts', 'b.ts']],
  ['{a,a,?}.js', ['a.js']],
  ['{src/{c,none},b}.ts', ['b.ts', 'src/c.ts']],
  ['src/{q}.ts', ['src/{q}.ts']],
  ['src/**/*.ts', ['src/c.ts', 'src/deep/er/d.ts', 'src/{q}.ts']],
  ['src/**/e.js', ['src/deep/e.js']],
  ['**/deep/**', ['src/deep/e.js', 'src/deep/er', 'src/deep/er/d.ts']],
  ['src/**/**/d.ts', ['src/deep/er/d.ts']],
  ['s*/', ['src/']],
  ['src/*/', ['src/again/', 'src/deep/']],
  ['src/.*', ['src/.git']],
  ['.*.ts', ['.hidden.ts']],
  ['./src/./c.ts', ['src/c.ts']],
  ['a.js/', []],
  ['a.js/*', []],
  ['none/**', []],
  ['[a', []],
  ['link/*', ['link/secret.ts']],
  ['link/', ['link/']],
  ['**/secret.ts', ['outer/secret.ts']], // not through the link
  ['dangling', ['dangling']],
  ['dangling/*', []],
];
try {
  for (const name of names) {
    if (name.includes('/')) await root.mkdir(name.slice(0, name.lastIndexOf('/')), { recursive: true });
    await root.writeFile(name, '');
  }
  await root.symlink('outer', 'link');
  await root.symlink('nowhere', 'dangling');
  await root.symlink('.', 'src/again');
  for (const [pattern, expected] of cases) {
    deepEqual(await all(pattern), expected, pattern);
    deepEqual(await all(pattern, {}, root), expected, `${pattern} beneath a root`);
    const absolute = (await all(`${work}/${pattern.replace(/^\{src/, '{./src')}`)).map((path) => path.slice(work.length + 1));
    deepEqual(absolute, expected, `${pattern}, absolute`);
  }
  deepEqual(await all('**/*.ts', { dot: true }), ['.hidden.ts', 'a.ts', 'b.ts', 'outer/secret.ts', 'src/.git/f.ts', 'src/c.ts',
    'src/deep/er/d.ts', 'src/{q}.ts', 'x[1].ts', '\u{1f600}.ts']);
  deepEqual(await all('*.js', { cwd: 'src/deep' }, root), ['e.js']);
  deepEqual(await all('../*.js', { cwd: `${work}/src` }), ['../a.js']);

  // A pattern whose stars could be tried in very many ways, against a name that it just doesn't match.
  await root.writeFile('a'.repeat(250), '');
  deepEqual(await all(`${'*a'.repeat(60)}b`), []);

  // Out of the root: refused as everywhere.
  await rejects(all('../*', {}, root), { code: 'EACCES' });
  await root.symlink('/tmp', 'away');
  deepEqual(await all('away/*', {}, root), []); // a link that leads nowhere, as seen from there

  throws(() => disk.glob(1), TypeError);
  throws(() => disk.glob('*', { cwd: new Uint8Array(1) }), TypeError);
  await rejects(all('[z-a]'), RangeError);
  await rejects(all('{a,b}'.repeat(20)), RangeError);
  const controller = new AbortController();
  controller.abort(new Error('enough'));
  await rejects(all('*', { signal: controller.signal }), { message: 'enough' });
  equal((await disk.glob('**', { cwd: work }).return()).done, true);
} finally {
  await disk.rmdir(work, { recursive: true });
}
