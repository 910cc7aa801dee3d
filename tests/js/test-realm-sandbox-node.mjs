// A sandbox that is refused a module of fino's has it by the name of Node's neither, nor by a require() or a global.
import { ImportMap, Realm } from 'fino:realm';
import { equal, rejects } from './assert.mjs';

const { deny, inherit } = ImportMap;
const value = (expression, overrides) => {
  const realm = Realm.fromSource(`export default async () => ${expression};`, { overrides });
  return realm.call().finally(() => realm.terminate());
};
const refused = (expression, overrides) => rejects(value(expression, overrides), { code: 'ERR_IMPORT_REFUSED' });

for (const name of ['fs', 'node:fs', 'fs/promises', 'process', 'node:process']) {
  await refused(`import('${name}')`, deny());
  await refused(`import('${name}')`, inherit([{ block: 'fino:*' }]));
  await refused(`import('${name}')`, inherit([{ block: 'node:**' }]));
  await refused(`import('${name}')`, deny([{ allow: 'node:**' }]));
}
await refused("(await import('node:module')).createRequire('/a.js')('fs')", inherit([{ block: 'fino:file' }]));
equal(await value('typeof process', deny()), 'undefined');
equal(await value('typeof process', inherit([{ block: 'fino:process' }])), 'undefined');
equal(await value("(await import('path')).join('a', 'b')", deny([{ allow: 'node:path' }])), 'a/b');
equal(await value("typeof (await import('fs')).readFileSync", inherit()), 'function');
