// fino:realm/pool: a number of like Realms behind one call().
//
// Realms are started as they are needed, up to the pool's size, and a call goes to the one with the fewest pending. One
// that ends takes only its own calls with it; the next call that needs a Realm starts another in its place.
'use strict';

const {
  ArrayPrototypeIndexOf, ArrayPrototypePush, ArrayPrototypeSlice, ArrayPrototypeSplice, NumberIsInteger,
  ObjectAssign, ObjectCreate, Promise, PromisePrototypeThen, PromiseReject, PromiseResolve, RangeError,
  SymbolToStringTag, TypeError,
} = internal.primordials;
const { Realm, defineHidden, describe, dictionary, errorWithCode, whenRealmEnds } = internal;

// milliseconds(value, where): undefined, or a number that a timer can wait for.
function milliseconds(value, where) {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return value;
  throw new RangeError(`${where} must be a number of milliseconds, not ${describe(value)}`);
}

const ignore = () => {};

class RealmPool {
  #options;
  #size;
  #timeout;
  #closeTimeout;
  #realms = [];
  #pending = 0;
  #closing; // the promise of close()
  #drained = ignore;

  constructor(options) {
    const bag = dictionary(options, 'RealmPool: options');
    const size = bag.size ?? native.hardwareConcurrency;
    if (typeof size !== 'number' || !NumberIsInteger(size) || size < 1) {
      throw new RangeError(`RealmPool: options.size must be an integer from 1, not ${describe(size)}`);
    }
    this.#size = size;
    this.#timeout = milliseconds(bag.timeout, 'RealmPool: options.timeout');
    this.#closeTimeout = milliseconds(bag.closeTimeout, 'RealmPool: options.closeTimeout');
    const common = dictionary(bag.realm, 'RealmPool: options.realm');
    internal.checkRealmOptions(common, 'RealmPool: options.realm');
    this.#options = ObjectAssign({}, common, { entry: bag.entry });
    if (bag.entry === undefined) throw new TypeError('RealmPool: options.entry is missing');
  }

  get size() { return this.#size; }
  get pending() { return this.#pending; }

  // call(...args): of the entry's default export, in whichever Realm has the least to do.
  call(...args) {
    if (this.#closing !== undefined) {
      return PromiseReject(errorWithCode('The RealmPool is closed', 'ERR_REALM_POOL_CLOSED'));
    }
    let realm;
    try {
      realm = this.#choose();
    } catch (error) {
      return PromiseReject(error);
    }
    this.#pending++;
    return new Promise((resolve, reject) => {
      const watch = this.#watch(realm, reject);
      const settle = (outcome) => (value) => {
        internal.clearTimeout(watch);
        outcome(value);
        if (--this.#pending === 0) this.#drained();
      };
      PromisePrototypeThen(realm.call(...args), settle(resolve), settle(reject));
    });
  }

  // close(): no more calls; resolves when those that are pending have settled, and all Realms have ended.
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  // An idle Realm, else a new one, else the least busy.
  #choose() {
    let least;
    for (let i = 0; i < this.#realms.length; i++) {
      if (least === undefined || this.#realms[i].pending < least.pending) least = this.#realms[i];
    }
    if (least !== undefined && (least.pending === 0 || this.#realms.length >= this.#size)) return least;
    const realm = new Realm(this.#options);
    ArrayPrototypePush(this.#realms, realm);
    whenRealmEnds(realm, () => this.#forget(realm));
    return realm;
  }

  #forget(realm) {
    const index = ArrayPrototypeIndexOf(this.#realms, realm);
    if (index >= 0) ArrayPrototypeSplice(this.#realms, index, 1);
  }

  // A call that takes too long may be stuck for ever: its Realm is given up, and whatever else was going on there.
  #watch(realm, reject) {
    if (this.#timeout === undefined) return undefined;
    return internal.setTimeout(() => {
      reject(errorWithCode(`RealmPool.call: no result within ${this.#timeout} ms`, 'ERR_REALM_TIMEOUT'));
      this.#forget(realm);
      realm.terminate();
    }, this.#timeout);
  }

  async #close() {
    let patience;
    if (this.#pending > 0) {
      await new Promise((resolve) => {
        this.#drained = resolve;
        if (this.#closeTimeout !== undefined) patience = internal.setTimeout(resolve, this.#closeTimeout);
      });
    }
    internal.clearTimeout(patience);
    const realms = ArrayPrototypeSlice(this.#realms);
    let last = PromiseResolve(undefined);
    for (let i = 0; i < realms.length; i++) {
      const ended = realms[i].terminate();
      last = PromisePrototypeThen(last, () => ended);
    }
    await last;
  }
}
defineHidden(RealmPool.prototype, SymbolToStringTag, 'RealmPool');
defineHidden(RealmPool.prototype, Symbol.asyncDispose, function asyncDispose() { return this.close(); });

const exported = { __proto__: null, RealmPool };
internal.realmPoolModule = ObjectAssign(ObjectCreate(null), exported, { default: RealmPool });
