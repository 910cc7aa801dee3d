// AbortController and AbortSignal, after the DOM Standard.
'use strict';

const {
  ArrayPrototypeIncludes, ArrayPrototypeIndexOf, ArrayPrototypePush, ArrayPrototypeSplice, MathMax, SafeSet, TypeError,
  WeakRef, WeakRefPrototypeDeref,
} = internal.primordials;
const {
  EventTarget, Event, customInspect, defineHandler, defineHidden, illegalThis, needArguments, webInterface,
} = internal;

const key = {}; // lets this file, and no other, call the constructor of AbortSignal

// The dependents of a signal are looked through for dead ones from this many on.
const PRUNE_FROM = 16;

// What the timer can count to, 24.8 days.
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

let stateOf; // stateOf(signal): its mutable state, after a brand check

class AbortSignal extends EventTarget {
  // sources: the signals this one follows (`any`). dependents: weak references to those that follow this one, so that a
  // signal that lives long does not keep every signal that was ever combined with it; watched: those among them that
  // somebody waits for, which it does keep. watcherCount: how many wait for this one.
  #state = {
    aborted: false, reason: undefined, algorithms: [], sources: [], dependents: [], pruneAt: PRUNE_FROM,
    watched: new SafeSet(), watcherCount: 0,
  };

  constructor(caller) {
    if (caller !== key) throw new TypeError('Illegal constructor: use AbortController or AbortSignal.timeout');
    super();
  }

  static {
    stateOf = (signal) => {
      if (!isAbortSignal(signal)) throw illegalThis('AbortSignal');
      return signal.#state;
    };
    internal.isAbortSignal = isAbortSignal;
    function isAbortSignal(value) {
      return typeof value === 'object' && value !== null && #state in value;
    }
  }

  static abort(reason = internal.makeDOMException('This operation was aborted', 'AbortError')) {
    const signal = new AbortSignal(key);
    const state = stateOf(signal);
    state.aborted = true;
    state.reason = reason;
    return signal;
  }

  static timeout(milliseconds) {
    needArguments(arguments.length, 1, 'AbortSignal.timeout');
    const ms = +milliseconds;
    if (!(ms >= 0 && ms <= 2 ** 53 - 1)) {
      const given = internal.describe(milliseconds);
      throw new TypeError(`AbortSignal.timeout: milliseconds must be between 0 and 2^53 - 1, not ${given}`);
    }
    const signal = new AbortSignal(key);
    const timer = internal.setTimeout(() => {
      abort(signal, internal.makeDOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, ms > LONGEST_TIMEOUT_MS ? LONGEST_TIMEOUT_MS : ms);
    // The process does not wait for it.
    timer.unref();
    return signal;
  }

  static any(signals) {
    needArguments(arguments.length, 1, 'AbortSignal.any');
    const list = internal.listOf(signals, 'AbortSignal.any: signals');
    for (let i = 0; i < list.length; i++) {
      if (!internal.isAbortSignal(list[i])) throw new TypeError(`AbortSignal.any: signals[${i}] is not an AbortSignal`);
    }
    const result = new AbortSignal(key);
    for (let i = 0; i < list.length; i++) {
      const state = stateOf(list[i]);
      if (state.aborted) {
        stateOf(result).aborted = true;
        stateOf(result).reason = state.reason;
        return result;
      }
    }
    for (let i = 0; i < list.length; i++) follow(result, list[i]);
    return result;
  }

  get aborted() { return stateOf(this).aborted; }
  get reason() { return stateOf(this).reason; }
  throwIfAborted() {
    const state = stateOf(this);
    if (state.aborted) throw state.reason;
  }
}
defineHandler(AbortSignal, 'abort');
webInterface(AbortSignal, 'AbortSignal');
defineHidden(AbortSignal.prototype, customInspect, function (depth, options, inspect) {
  if (!internal.isAbortSignal(this) || depth < 0) return this;
  return `AbortSignal ${inspect({ aborted: stateOf(this).aborted }, options)}`;
});

// follow(signal, source): signal aborts when source does. Only sources that themselves follow nothing are kept.
function follow(signal, source) {
  const state = stateOf(source);
  const roots = state.sources.length === 0 ? [source] : state.sources;
  for (let i = 0; i < roots.length; i++) {
    const mine = stateOf(signal).sources;
    if (ArrayPrototypeIncludes(mine, roots[i])) continue;
    ArrayPrototypePush(mine, roots[i]);
    const root = stateOf(roots[i]);
    if (root.dependents.length >= root.pruneAt) prune(root);
    ArrayPrototypePush(root.dependents, new WeakRef(signal));
  }
}

// prune(root): forgets the dependents that have been collected; again when there are twice as many as are left.
function prune(root) {
  const { dependents } = root;
  let kept = 0;
  for (let i = 0; i < dependents.length; i++) {
    if (WeakRefPrototypeDeref(dependents[i]) !== undefined) dependents[kept++] = dependents[i];
  }
  dependents.length = kept;
  root.pruneAt = MathMax(PRUNE_FROM, kept * 2);
}

// countAbortWatchers(target, change): called when the first listener of 'abort' comes or the last one goes.
internal.countAbortWatchers = (target, change) => {
  if (!internal.isAbortSignal(target)) return;
  const state = stateOf(target);
  state.watcherCount += change;
  for (let i = 0; i < state.sources.length; i++) {
    const { watched } = stateOf(state.sources[i]);
    if (state.watcherCount > 0) watched.add(target);
    else watched.delete(target);
  }
};

function abort(signal, reason) {
  const state = stateOf(signal);
  if (state.aborted) return;
  const affected = [signal];
  markAborted(state, reason);
  for (let i = 0; i < state.dependents.length; i++) {
    const dependent = WeakRefPrototypeDeref(state.dependents[i]);
    if (dependent === undefined || stateOf(dependent).aborted) continue;
    markAborted(stateOf(dependent), reason);
    ArrayPrototypePush(affected, dependent);
  }
  state.dependents = [];
  state.watched.clear();
  // All are marked before any listener can look.
  for (let i = 0; i < affected.length; i++) notify(affected[i]);
}

function markAborted(state, reason) {
  state.aborted = true;
  state.reason = reason;
}

function notify(signal) {
  const state = stateOf(signal);
  const { algorithms } = state;
  state.algorithms = [];
  for (let i = 0; i < algorithms.length; i++) algorithms[i]();
  internal.dispatchTrusted(signal, new Event('abort'));
}

// onAbort(signal, algorithm): runs algorithm once, before the listeners, when signal aborts. Returns a function that
// undoes this.
internal.onAbort = (signal, algorithm) => {
  const state = stateOf(signal);
  ArrayPrototypePush(state.algorithms, algorithm);
  internal.countAbortWatchers(signal, 1);
  return () => {
    const index = ArrayPrototypeIndexOf(state.algorithms, algorithm);
    if (index === -1) return;
    ArrayPrototypeSplice(state.algorithms, index, 1);
    internal.countAbortWatchers(signal, -1);
  };
};

class AbortController {
  #signal = new AbortSignal(key);

  static #signalOf(controller) {
    if (!(#signal in controller)) throw illegalThis('AbortController');
    return controller.#signal;
  }

  get signal() { return AbortController.#signalOf(this); }
  abort(reason = internal.makeDOMException('This operation was aborted', 'AbortError')) {
    abort(AbortController.#signalOf(this), reason);
  }
}
webInterface(AbortController, 'AbortController');
defineHidden(AbortController.prototype, customInspect, function (depth, options, inspect) {
  if (typeof this !== 'object' || !(this instanceof AbortController) || this === AbortController.prototype ||
      depth < 0) {
    return this;
  }
  return `AbortController ${inspect({ signal: this.signal }, options)}`;
});

internal.AbortSignal = AbortSignal;
internal.AbortController = AbortController;
