// fino:realm/self: the Realm that this code runs in, and its side of the conversation with its owner.
'use strict';

const {
  ArrayPrototypePush, ObjectAssign, ObjectCreate, ObjectFreeze, PromisePrototypeThen, ReflectApply, TypeError,
} = internal.primordials;

let control;

// --- calls -----------------------------------------------------------------------------------------------------------

function answer(id, outcome, value) {
  native.holdLoop(false);
  try {
    internal.postInternal(control, { type: outcome, id, value });
  } catch (error) {
    internal.postInternal(control, { type: 'failed', id, value: internal.packError(error) });
  }
}

const fail = (id, error) => answer(id, 'failed', internal.packError(error));

// The entry's default export is looked up at each call: an export is a live binding.
async function invoke(args) {
  const parts = native.realmExports();
  await parts[1];
  const { default: callee } = parts[0];
  if (typeof callee !== 'function') {
    throw new TypeError("Realm.call: the entry's default export is not a function");
  }
  return ReflectApply(callee, undefined, args);
}

let isHeld = false; // by an owner that may call again

const handlers = {
  __proto__: null,
  message(message) {
    if (message.type === 'call') {
      native.holdLoop(true);
      PromisePrototypeThen(invoke(message.args), (value) => answer(message.id, 'done', value),
        (error) => fail(message.id, error));
    } else if ((message.type === 'hold') !== isHeld) {
      isHeld = !isHeld;
      native.holdLoop(isHeld);
    }
  },
  close() {}, // the owner has ended, and C stops this Realm
};

// --- the start -------------------------------------------------------------------------------------------------------

// beginSelf(): called by C before the entry is loaded.
internal.beginSelf = () => {
  const parts = native.realmTakeInit();
  control = parts[1];
  const { args, env } = parts[0];
  native.portRef(control, false);
  internal.handlePort(control, handlers);
  internal.realmArguments = [];
  for (let i = 0; i < args.length; i++) ArrayPrototypePush(internal.realmArguments, `${args[i]}`);
  internal.realmEnv = env;
  const realm = {
    __proto__: null, args, id: native.realmId, kind: native.realmKind, name: native.realmLabel, port: parts[2],
  };
  internal.self = ObjectFreeze(realm);
  const exported = { __proto__: null, realm: internal.self };
  internal.realmSelfModule = ObjectAssign(ObjectCreate(null), exported, { default: internal.self });
};
