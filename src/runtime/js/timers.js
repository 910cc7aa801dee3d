// setTimeout and setInterval: when each callback runs. C owns one clock alarm (armTimer) and calls onTimer when it
// rings.
//
// Timers of one duration expire in the order they were set, so each duration has a list (insert and cancel in constant
// time), and a binary heap orders the lists by the expiry of their first timer. A million timers of a few durations
// cost a few heap steps in all; with a million durations the heap is a million lists, each step logarithmic. Among
// lists that expire together the one whose turn was settled first runs first, as in Node.
'use strict';

const { ArrayPrototypePop, MathMax, MathTrunc, ReflectApply, SafeMap, SymbolToPrimitive } = internal.primordials;
const { needFunction } = internal;
const { armTimer, now, runMicrotasks, setTimerRef } = native;

const LONGEST_MS = 2 ** 31 - 1;

const Infinity = 1 / 0;
const lists = new SafeMap(); // duration -> its list, while it has timers
const heap = []; // lists; heap[0] expires first
const known = new SafeMap(); // id -> timer, for those whose id has been taken as a number
let nextId = 1;
let nextTurn = 0;
let referencedCount = 0; // active timers that keep the process alive
let armedFor = Infinity; // the time that C's alarm is set to
let isRunning = false;

// A list is the sentinel of a ring of timers: next is the first, previous the last.
function makeList(duration) {
  const list = {
    duration, expiry: 0, turn: 0, heapIndex: -1, isRunning: false, next: undefined,
    previous: undefined,
  };
  list.next = list;
  list.previous = list;
  return list;
}

// --- heap ------------------------------------------------------------------------------------------------------------

const isBefore = (a, b) => a.expiry < b.expiry || (a.expiry === b.expiry && a.turn < b.turn);

function place(list, index) {
  heap[index] = list;
  list.heapIndex = index;
}

function siftUp(list, index) {
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!isBefore(list, heap[parent])) break;
    place(heap[parent], index);
    index = parent;
  }
  place(list, index);
}

function siftDown(list, index) {
  const count = heap.length;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= count) break;
    if (child + 1 < count && isBefore(heap[child + 1], heap[child])) child++;
    if (!isBefore(heap[child], list)) break;
    place(heap[child], index);
    index = child;
  }
  place(list, index);
}

function removeList(list) {
  const last = ArrayPrototypePop(heap);
  const index = list.heapIndex;
  lists.delete(list.duration);
  if (last === list) return;
  if (isBefore(last, list)) siftUp(last, index);
  else siftDown(last, index);
}

// settle(list, expiry): gives it its place by a later expiry.
function settle(list, expiry) {
  list.expiry = expiry;
  list.turn = nextTurn++;
  siftDown(list, list.heapIndex);
}

// --- timers ----------------------------------------------------------------------------------------------------------

function link(timer, start) {
  timer.start = start;
  let list = lists.get(timer.duration);
  if (list === undefined) {
    list = makeList(timer.duration);
    list.expiry = start + timer.duration;
    list.turn = nextTurn++;
    lists.set(timer.duration, list);
    siftUp(list, heap.length);
  }
  timer.previous = list.previous;
  timer.next = list;
  list.previous.next = timer;
  list.previous = timer;
}

function unlink(timer) {
  timer.previous.next = timer.next;
  timer.next.previous = timer.previous;
  timer.previous = undefined;
  timer.next = undefined;
}

// arm(): sets the alarm to the first expiry, unless it is.
function arm() {
  if (isRunning) return;
  const first = heap.length === 0 ? Infinity : heap[0].expiry;
  if (first === armedFor) return;
  armedFor = first;
  armTimer(first === Infinity ? -1 : MathMax(0, first - now()));
}

function countReference(change) {
  const before = referencedCount;
  referencedCount += change;
  if ((before === 0) !== (referencedCount === 0)) setTimerRef(referencedCount);
}

function activate(timer, start) {
  if (timer.isReferenced) countReference(1);
  timer.isActive = true;
  if (timer.id !== 0) known.set(timer.id, timer);
  link(timer, start);
  arm();
}

function deactivate(timer) {
  timer.isActive = false;
  if (timer.isReferenced) countReference(-1);
  const list = timer.next === undefined ? undefined : lists.get(timer.duration);
  if (list === undefined) return;
  unlink(timer);
  if (list.next === list && !list.isRunning) {
    removeList(list);
    arm();
  }
}

// toDuration(delay): whole milliseconds from 1 to 2^31 - 1; anything else is 1.
function toDuration(delay) {
  const duration = MathTrunc(+delay);
  return duration >= 1 && duration <= LONGEST_MS ? duration : 1;
}

let create; // create(callback, delay, args, repeats): an active timer
let stateOf; // stateOf(timeout): its node in the lists

// Timeout is what setTimeout and setInterval return.
class Timeout {
  #node;

  static {
    create = (callback, delay, args, repeats) => {
      const timeout = new Timeout();
      timeout.#node = {
        duration: toDuration(delay), start: 0, next: undefined, previous: undefined, callback, args,
        repeats, owner: timeout, isReferenced: true, isActive: false, isCancelled: false, id: 0,
        labels: internal.currentLabels(),
      };
      activate(timeout.#node, now());
      return timeout;
    };
    stateOf = (timeout) => (#node in timeout ? timeout.#node : undefined);
  }

  // ref(), unref(): whether the process stays alive for this timer. It does at first.
  ref() { return this.#setReferenced(true); }
  unref() { return this.#setReferenced(false); }
  #setReferenced(wanted) {
    const node = this.#node;
    if (node.isReferenced !== wanted) {
      node.isReferenced = wanted;
      if (node.isActive) countReference(wanted ? 1 : -1);
    }
    return this;
  }

  hasRef() { return this.#node.isReferenced; }

  // refresh(): starts its time anew, also when it has already run.
  refresh() {
    const node = this.#node;
    if (node.isCancelled) return this;
    if (node.isActive) deactivate(node);
    activate(node, now());
    return this;
  }

  close() {
    cancel(this.#node);
    return this;
  }

  // As a number or a property key, a timer is an id that clearTimeout takes.
  [SymbolToPrimitive]() {
    const node = this.#node;
    if (node.id === 0) {
      node.id = nextId++;
      if (node.isActive) known.set(node.id, node);
    }
    return node.id;
  }
}
internal.defineHidden(Timeout.prototype, internal.customInspect, function (depth, options, inspect) {
  const node = typeof this === 'object' ? stateOf(this) : undefined;
  if (node === undefined) return this;
  const { duration, callback, repeats, isActive } = node;
  return `Timeout ${inspect({ duration, callback, repeats, isActive, hasRef: node.isReferenced }, options)}`;
});

function cancel(node) {
  node.isCancelled = true;
  if (node.isActive) deactivate(node);
  forget(node);
}

function forget(node) {
  if (node.id !== 0) known.delete(node.id);
}

function clear(timeout) {
  if (typeof timeout === 'object' && timeout !== null) {
    const node = stateOf(timeout);
    if (node !== undefined) cancel(node);
  } else if (typeof timeout === 'number' || typeof timeout === 'string') {
    const node = known.get(+timeout);
    if (node !== undefined) cancel(node);
  }
}

internal.setTimeout = function setTimeout(callback, delay = undefined, ...args) {
  needFunction(callback, 'setTimeout: callback');
  return create(callback, delay, args, false);
};

internal.setInterval = function setInterval(callback, delay = undefined, ...args) {
  needFunction(callback, 'setInterval: callback');
  return create(callback, delay, args, true);
};

internal.clearTimeout = function clearTimeout(timeout) { clear(timeout); };
internal.clearInterval = function clearInterval(timeout) { clear(timeout); };

// --- running ---------------------------------------------------------------------------------------------------------

let hasRun = false; // a callback has run since the last microtask checkpoint

function run(node) {
  if (hasRun) runMicrotasks();
  hasRun = true;
  // The checkpoint may have cancelled or refreshed it.
  if (!node.isActive || node.next !== undefined) return;
  const start = now();
  if (!node.repeats) {
    node.isActive = false;
    if (node.isReferenced) countReference(-1);
  }
  if (node.labels !== 0) native.labelsSet(node.labels); // the next checkpoint takes them away
  try {
    ReflectApply(node.callback, node.owner, node.args);
  } finally {
    if (node.repeats && node.isActive) {
      if (node.next === undefined) link(node, start);
    } else if (!node.isActive) {
      forget(node);
    }
  }
}

// runList(list, time): its timers that are due at `time`.
function runList(list, time) {
  list.isRunning = true;
  try {
    while (list.next !== list) {
      const node = list.next;
      if (node.start + list.duration > time) return;
      unlink(node);
      run(node);
    }
  } finally {
    list.isRunning = false;
    // What an exception leaves behind is still due.
    if (list.next === list) removeList(list);
    else settle(list, list.next.start + list.duration);
  }
}

// onTimer(): called by C. A callback's exception goes to C; the timers after it run when C comes back.
internal.onTimer = () => {
  let time = now();
  isRunning = true;
  hasRun = false;
  armedFor = Infinity;
  try {
    while (heap.length > 0) {
      const list = heap[0];
      if (list.expiry > time) {
        // Those before it took their time: it may be due by now.
        time = now();
        if (list.expiry > time) break;
      }
      runList(list, time);
    }
  } finally {
    isRunning = false;
    arm();
  }
};
