// A sandbox imports what its rules grant, the last that matches deciding; what it is refused says by which, and from
// where, and can't be told from what isn't there.
import { ImportMap, Realm } from 'fino:realm';
import { DiskFileSystem } from 'fino:file';
import { cwd, env } from 'fino:process';
import { equal, ok, rejects, throws } from './assert.mjs';

const { deny, inherit } = ImportMap;
const SELF = { allow: 'fino:realm/self' };
const inside = (source, overrides, options) => Realm.fromSource(source, { overrides, ...options }).run();
const value = (expression, overrides, options) => {
  const realm = Realm.fromSource(`export default async () => ${expression};`, { overrides, ...options });
  return realm.call().finally(() => realm.terminate());
};
const refused = async (promise, ...patterns) => {
  const error = await rejects(promise, { code: 'ERR_IMPORT_REFUSED' });
  for (const pattern of patterns) ok(pattern.test(error.message), error.message);
};

// --- the baselines ---

await refused(inside("import 'fino:file';", deny()),
  /^Import of 'fino:file' from \[source\]\.mjs:1:8 is refused: no rule allows it$/);
await refused(value("import('fino:' + 'process')", deny([])), /'fino:process'/);
equal(await inside('let a = 1;', deny()), 0);
equal(await value("(await import('fino:process')).platform", inherit()), 'linux');
await refused(value("import('fino:process')", inherit([{ block: 'fino:*' }])), /rule 1, block 'fino:\*', forbids it$/);

// --- the last that matches decides ---

const order = [{ allow: 'fino:**' }, { block: 'fino:net/**' }, { allow: 'fino:net/tcp' }];
equal(await value("typeof (await import('fino:net/tcp')).connect", deny(order)), 'function');
await refused(value("import('fino:net/http')", deny(order)), /rule 2/);
await refused(value("import('fino:net/http/server')", deny([{ allow: 'fino:*' }, { allow: 'fino:net/*' }])),
  /no rule allows it/);
equal(await value("typeof fetch", deny([{ allow: 'fino:net/*' }])), 'function');
await refused(value("fetch('http://127.0.0.1:1/')", deny()), /^fetch is refused.*no rule allows it/);

// --- files ---

const disk = new DiskFileSystem();
const directory = await disk.mkdtemp(`${env.TMPDIR ?? '/tmp'}/fino-test-`);
const at = (name) => `${directory}/${name}`;
await disk.mkdir(at('lib'));
await disk.mkdir(at('outside'));
await disk.writeFile(at('lib/a.mjs'), "export { default } from './b.mjs'; export const meta = import.meta;");
await disk.writeFile(at('lib/b.mjs'), "export default 'b';");
await disk.writeFile(at('lib/c.ts'), "export default 'c' as string;");
await disk.writeFile(at('lib/common.cjs'), "module.exports = () => require('../outside/secret.mjs');");
await disk.writeFile(at('lib/nested.mjs'), "import '../outside/secret.mjs';");
await disk.writeFile(at('lib/data.json'), '{ "a": 1 }');
await disk.writeFile(at('outside/secret.mjs'), "export default 'secret'; export const open = 'open';");
await disk.symlink(at('outside/secret.mjs'), at('lib/link.mjs'));
await disk.symlink(at('outside'), at('lib/linked'));
const lib = deny([{ allow: at('lib/**') }]);
const load = (name, overrides = lib) => value(`(await import('${name}')).default`, overrides);

equal(await load(at('lib/a.mjs')), 'b');
equal(await load(`file://${at('lib/./a.mjs')}`), 'b');
equal(await load(at('lib/a.mjs?again#x')), 'b');
equal(await load(at('lib/c.js')), 'c');
equal(await load(at('outside/../lib/b.mjs')), 'b');
equal(await value(`(await import('${at('lib/data.json')}', { assert: { type: 'json' } })).default.a`, lib), 1);
for (const name of ['outside/secret.mjs', 'lib/../outside/secret.mjs', 'lib/%2e%2e/outside/secret.mjs', 'lib.mjs',
  'outside/none.mjs', 'libs/a.mjs', 'LIB/a.mjs']) {
  await refused(load(at(name)), /no rule allows it/);
  await refused(load(`file://localhost${at(name)}`), /no rule allows it/);
}
await refused(load(at('lib/nested.mjs')), /'\.\.\/outside\/secret\.mjs' from .*lib\/nested\.mjs:1:8 is refused/);
await refused(value(`(await import('${at('lib/common.cjs')}')).default()`, lib), /lib\/common\.cjs is refused/);
for (const name of ['lib/link.mjs', 'lib/linked/secret.mjs']) {
  await refused(load(at(name)), /leads to a file of another name/);
}
await refused(value(`import.meta.resolve('${at('outside/secret.mjs')}')`, lib), /no rule/);
equal(await value(`import.meta.resolve('${at('lib/b.mjs')}')`, lib), `file://${at('lib/b.mjs')}`);
const missing = await rejects(load(at('lib/d.mjs')), { code: 'ERR_MODULE_NOT_FOUND' });
ok(/there is no such module$/.test(missing.message), missing.message);

// The entry is its owner's to give, what it imports is not.
const entry = new Realm({ entry: at('lib/nested.mjs'), overrides: deny() });
await refused(entry.run(), /nested\.mjs:1:8/);

// --- import.meta tells nothing of the host ---

equal(await value('JSON.stringify([import.meta.url, import.meta.filename, import.meta.dirname])', deny()),
  '["[source].mjs",null,null]');
ok(!(await value('new Error().stack', deny())).includes(cwd()));

// --- remap, source, facade ---

const rules = deny([
  { remap: 'words', to: at('lib/b.mjs') },
  { source: 'config', text: "import { deep } from 'config/deep'; export default deep; export const { url } = import.meta;" },
  { source: 'config/*', text: 'export const deep = 7;' },
  { source: 'leak', text: "export * from 'fino:file';" },
  { facade: 'fino:process', exports: ['platform', 'arch'] },
  { facade: at('outside/secret.mjs'), exports: ['open'] },
  { allow: at('lib/*') },
]);
equal(await load('words', rules), 'b');
equal(await load('config', rules), 7);
equal(await value("(await import('config')).url", rules), 'config');
await refused(load('leak', rules), /'fino:file' from leak:1:15/);
equal(await value("Object.keys(await import('fino:process')).join()", rules), 'arch,platform');
equal(await value(`Object.keys(await import('${at('outside/secret.mjs')}')).join()`, rules), 'open');
await refused(load(at('lib/link.mjs'), rules), /another name/);
await rejects(inside("import { exit } from 'fino:process'; exit();", rules), SyntaxError);
await rejects(load('fino:process', deny([{ facade: 'fino:process', exports: ['nothing'] }])), SyntaxError);
equal(await value("(await import('one')) === (await import('one'))", deny([{ source: 'one', text: '' }])), true);

// --- nobody gives away more than they have ---

const maker = `import { ImportMap, Realm } from 'fino:realm';
export default async (source, rules, entry) => {
  const overrides = rules && ImportMap[rules[0]](rules[1]);
  const realm = entry ? new Realm({ entry, overrides }) : Realm.fromSource(source, { overrides });
  await realm.run();
  return realm.thread;
};`;
const grandchild = (source, mine, entry) => {
  const overrides = deny([{ allow: 'fino:realm' }, { allow: at('lib/*') }, { facade: 'fino:process', exports: ['arch'] }]);
  const realm = Realm.fromSource(maker, { overrides });
  return realm.call(source, mine, entry).finally(() => realm.terminate());
};
for (const mine of [undefined, ['inherit', []], ['deny', [{ allow: '**' }]]]) {
  await refused(grandchild("import 'fino:file';", mine), /no rule of a Realm that this one is owned by allows it/);
  ok(await grandchild(`import '${at('lib/b.mjs')}'; import { arch } from 'fino:process';`, mine));
  await rejects(grandchild("import { exit } from 'fino:process';", mine), SyntaxError);
}
await refused(grandchild("import 'x';", ['deny', [{ remap: 'x', to: at('outside/secret.mjs') }]]), /owned by/);
ok(await grandchild('', undefined, at('lib/b.mjs')));
for (const name of ['outside/secret.mjs', 'outside/none.mjs', 'lib/link.mjs']) {
  const { message } = await rejects(grandchild('', ['deny', [{ allow: '**' }]], at(name)), /Cannot find the entry/);
  ok(/no rule allows it$/.test(message), message);
}
equal((await value("(await import('fino:realm/self')).realm.kind", deny([SELF]))), 'sandbox');
equal((await value("Object.keys((await import('fino:process')).env).length", deny([{ allow: 'fino:process' }]))), 0);

// --- wrong rules ---

for (const [rule, pattern] of [
  [{}, /rules\[0\] must be \{ allow \}/], ['fino:file', /must be/], [null, /must be/], [{ allow: '' }, /isn't empty/],
  [{ allow: 1 }, /must be a string/], [{ remap: 'a' }, /\{ remap, to \}/], [{ allow: 'a', block: 'b' }, /must be \{ allow \}/],
  [{ source: 'a', text: 1 }, /the text of a module/], [{ facade: 'a', exports: 1 }, /iterable/],
]) throws(() => deny([rule]), pattern);
throws(() => new ImportMap(), /Illegal constructor/);
for (const overrides of [{}, [], null, 'deny']) {
  throws(() => Realm.fromSource('', { overrides }), /overrides must be an ImportMap/);
}
throws(() => Realm.fromSource('', { overrides: deny(), thread: false }), /thread can't be false/);
await disk.rmdir(directory, { recursive: true });
