// An option that isn't there, or is misspelt, is refused wherever a Realm can be asked for; nothing is silently ignored.
import { Realm } from 'fino:realm';
import { RealmPool } from 'fino:realm/pool';
import { equal, ok, throws } from './assert.mjs';

const makers = {
  'Realm: options': (options) => new Realm({ entry: './none.mjs', ...options }),
  'Realm: options of a source': (options) => Realm.fromSource('', options),
  'RealmPool: options.realm': (options) => new RealmPool({ entry: './none.mjs', realm: options }),
};
function refuses(make, pattern) {
  const { message } = throws(make, TypeError);
  ok(pattern.test(message), message);
}

for (const make of Object.values(makers)) {
  for (const value of [{}, true, undefined]) {
    refuses(() => make({ watch: value }), /options.*\.watch is not supported: ./);
  }
  refuses(() => make({ process: 'yes' }), /options.*\.process must be true or false/);
  refuses(() => make({ remote: true }), /options.*\.remote must be a string/);
  for (const name of ['Name', 'arg', 'enviroment', 'toString', '__proto']) {
    refuses(() => make({ [name]: 1 }), new RegExp(`\\.${name} is unknown; there are entry, name`));
  }
  for (const value of ['worker', null, 1]) {
    refuses(() => make({ thread: value }), /\.thread must be true or false/);
  }
  make({ thread: true, name: 'all', args: [1], env: {} });
  make({ thread: false });
  make({ thread: undefined });
}
equal(await Realm.fromSource('', { thread: true }).run(), 0);
equal(await Realm.fromSource('', { thread: false }).run(), 0);
// Inherited options count as well.
refuses(() => new Realm(Object.create({ entry: './none.mjs', watch: {} })), /watch is not supported/);
