// setImmediate: callbacks for the next turn of the event loop, after its input and output.
'use strict';

const { ArrayPrototypePush, ArrayPrototypeSlice, ReflectApply } = internal.primordials;
const { needFunction } = internal;
const { requestImmediate, runMicrotasks } = native;

let queue = []; // nodes for the next turn; cancelled ones stay until then
let referencedCount = 0; // of those that are pending
let isRequested = false;

// request(): asks C for a call, and says whether the process has to stay alive for it.
function request() {
  isRequested = true;
  requestImmediate(referencedCount);
}

function countReference(change) {
  const before = referencedCount;
  referencedCount += change;
  if (isRequested && (before === 0) !== (referencedCount === 0)) requestImmediate(referencedCount);
}

let create; // create(callback, args): a pending immediate
let stateOf; // stateOf(immediate): its node in the queue

// Immediate is what setImmediate returns.
class Immediate {
  #node;

  static {
    create = (callback, args) => {
      const immediate = new Immediate();
      const node = {
        callback, args, owner: immediate, isReferenced: true, isPending: true, labels: internal.currentLabels(),
      };
      immediate.#node = node;
      ArrayPrototypePush(queue, node);
      countReference(1);
      if (!isRequested) request();
      return immediate;
    };
    stateOf = (immediate) => (#node in immediate ? immediate.#node : undefined);
  }

  ref() { return this.#setReferenced(true); }
  unref() { return this.#setReferenced(false); }
  #setReferenced(wanted) {
    const node = this.#node;
    if (node.isReferenced !== wanted) {
      node.isReferenced = wanted;
      if (node.isPending) countReference(wanted ? 1 : -1);
    }
    return this;
  }

  hasRef() { return this.#node.isReferenced; }
}

function settle(node) {
  node.isPending = false;
  if (node.isReferenced) countReference(-1);
}

internal.setImmediate = function setImmediate(callback, ...args) {
  needFunction(callback, 'setImmediate: callback');
  return create(callback, args);
};

internal.clearImmediate = function clearImmediate(immediate) {
  if (typeof immediate !== 'object' || immediate === null) return;
  const node = stateOf(immediate);
  if (node?.isPending) settle(node);
};

// onImmediate(): called by C, once for each request. What callbacks add waits for the next turn.
internal.onImmediate = () => {
  const current = queue;
  queue = [];
  isRequested = false;
  let next = 0;
  let hasRun = false;
  try {
    while (next < current.length) {
      const node = current[next++];
      if (!node.isPending) continue;
      if (hasRun) {
        runMicrotasks();
        if (!node.isPending) continue;
      }
      hasRun = true;
      settle(node);
      if (node.labels !== 0) native.labelsSet(node.labels); // the next checkpoint takes them away
      ReflectApply(node.callback, node.owner, node.args);
    }
  } finally {
    // After an exception the others come first in the next turn.
    for (let i = 0; i < queue.length; i++) ArrayPrototypePush(current, queue[i]);
    if (next < current.length) {
      queue = next === 0 ? current : ArrayPrototypeSlice(current, next);
      if (!isRequested) request();
    }
  }
};
