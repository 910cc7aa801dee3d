// Event, CustomEvent and EventTarget, after the DOM Standard. Targets here form no tree: every dispatch is "at target".
'use strict';

const {
  ArrayPrototypeIndexOf, ArrayPrototypePush, ArrayPrototypeSlice, ArrayPrototypeSplice, FunctionPrototypeCall,
  ObjectAssign, ObjectDefineProperty, SafeMap, SafeWeakMap, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, dictionary, illegalThis, needArguments, webInterface } = internal;

const NONE = 0;
const AT_TARGET = 2;

let stateOf; // stateOf(event): its mutable state, for the dispatch below

class Event {
  #state;

  constructor(type, options = undefined) {
    needArguments(arguments.length, 1, 'Event constructor');
    const bag = dictionary(options, 'Event options');
    this.#state = {
      type: `${type}`,
      bubbles: !!bag.bubbles,
      cancelable: !!bag.cancelable,
      composed: !!bag.composed,
      canceled: false,
      target: null,
      currentTarget: null,
      phase: NONE,
      isDispatching: false,
      isInPassiveListener: false,
      stopPropagation: false,
      stopImmediate: false,
      isTrusted: false,
      timeStamp: native.now(),
    };
  }

  static {
    stateOf = (event) => {
      if (typeof event !== 'object' || event === null || !(#state in event)) throw illegalThis('Event');
      return event.#state;
    };
  }

  get type() { return stateOf(this).type; }
  get target() { return stateOf(this).target; }
  get srcElement() { return stateOf(this).target; }
  get currentTarget() { return stateOf(this).currentTarget; }
  composedPath() {
    const { currentTarget } = stateOf(this);
    return currentTarget === null ? [] : [currentTarget];
  }

  get eventPhase() { return stateOf(this).phase; }
  stopPropagation() { stateOf(this).stopPropagation = true; }
  get cancelBubble() { return stateOf(this).stopPropagation; }
  set cancelBubble(value) { if (value) stateOf(this).stopPropagation = true; }
  stopImmediatePropagation() {
    const state = stateOf(this);
    state.stopPropagation = true;
    state.stopImmediate = true;
  }

  get bubbles() { return stateOf(this).bubbles; }
  get cancelable() { return stateOf(this).cancelable; }
  get returnValue() { return !stateOf(this).canceled; }
  set returnValue(value) { if (!value) this.preventDefault(); }
  preventDefault() {
    const state = stateOf(this);
    if (state.cancelable && !state.isInPassiveListener) state.canceled = true;
  }

  get defaultPrevented() { return stateOf(this).canceled; }
  get composed() { return stateOf(this).composed; }
  get isTrusted() { return stateOf(this).isTrusted; }
  get timeStamp() { return stateOf(this).timeStamp; }
  initEvent(type, bubbles = false, cancelable = false) {
    needArguments(arguments.length, 1, 'Event.initEvent');
    const state = stateOf(this);
    if (state.isDispatching) return;
    ObjectAssign(state, {
      type: `${type}`, bubbles: !!bubbles, cancelable: !!cancelable, canceled: false, stopPropagation: false,
      stopImmediate: false, isTrusted: false, target: null,
    });
  }
}
webInterface(Event, 'Event');
const phases = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
for (let i = 0; i < phases.length; i++) {
  ObjectDefineProperty(Event, phases[i], { __proto__: null, value: i, enumerable: true });
  ObjectDefineProperty(Event.prototype, phases[i], { __proto__: null, value: i, enumerable: true });
}
defineHidden(Event.prototype, customInspect, function (depth, options, inspect) {
  if (!(this instanceof Event)) return this;
  const name = this.constructor?.name ?? 'Event';
  if (depth < 0) return name;
  const { type, canceled, cancelable, timeStamp } = stateOf(this);
  const shown = { type, defaultPrevented: canceled, cancelable, timeStamp };
  return `${name} ${inspect(shown, ObjectAssign({}, options, { depth: depth === null ? null : depth - 1 }))}`;
});

class CustomEvent extends Event {
  #detail;

  constructor(type, options = undefined) {
    needArguments(arguments.length, 1, 'CustomEvent constructor');
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() {
    if (!(#detail in this)) throw illegalThis('CustomEvent');
    return this.#detail;
  }
}
webInterface(CustomEvent, 'CustomEvent');

let listenersOf; // listenersOf(target): SafeMap from type to an array of listeners, and `owner`, the target

function makeListeners(target) {
  const listeners = new SafeMap();
  listeners.owner = target;
  return listeners;
}

// Of objects that another constructor had to make (adoptEventTarget).
const adopted = new SafeWeakMap();

class EventTarget {
  #listeners = makeListeners(this);

  static {
    listenersOf = (target) => {
      if (typeof target !== 'object' || target === null) throw illegalThis('EventTarget');
      if (#listeners in target) return target.#listeners;
      const listeners = adopted.get(target);
      if (listeners === undefined) throw illegalThis('EventTarget');
      return listeners;
    };
  }

  addEventListener(type, callback, options = undefined) {
    const listeners = listenersOf(this);
    needArguments(arguments.length, 2, 'EventTarget.addEventListener');
    const bag = typeof options === 'object' && options !== null ? options : undefined;
    const signal = bag?.signal;
    if (signal !== undefined && !internal.isAbortSignal(signal)) {
      const given = internal.describe(signal);
      throw new TypeError(`EventTarget.addEventListener: signal must be an AbortSignal, not ${given}`);
    }
    if (callback === null || callback === undefined) return;
    if (typeof callback !== 'function' && typeof callback !== 'object') {
      const given = internal.describe(callback);
      throw new TypeError(`EventTarget.addEventListener: listener must be a function or an object, not ${given}`);
    }
    if (signal?.aborted) return;
    const capture = !!(bag === undefined ? options : bag.capture);
    const listener = {
      callback, capture, once: !!bag?.once, passive: !!bag?.passive, isHandler: false, removed: false,
    };
    if (add(listeners, `${type}`, listener) && signal !== undefined) {
      internal.onAbort(signal, () => remove(listeners, `${type}`, callback, capture));
    }
  }

  removeEventListener(type, callback, options = undefined) {
    const listeners = listenersOf(this);
    needArguments(arguments.length, 2, 'EventTarget.removeEventListener');
    const capture = !!(typeof options === 'object' && options !== null ? options.capture : options);
    remove(listeners, `${type}`, callback, capture);
  }

  dispatchEvent(event) {
    listenersOf(this);
    needArguments(arguments.length, 1, 'EventTarget.dispatchEvent');
    if (!(event instanceof Event)) throw new TypeError('EventTarget.dispatchEvent: argument must be an Event');
    const state = stateOf(event);
    if (state.isDispatching) {
      throw internal.makeDOMException('The event is already being dispatched', 'InvalidStateError');
    }
    state.isTrusted = false;
    return dispatch(this, event, state);
  }
}
webInterface(EventTarget, 'EventTarget');

function find(list, callback, capture) {
  for (let i = 0; i < list.length; i++) {
    if (list[i].callback === callback && list[i].capture === capture && !list[i].isHandler) return i;
  }
  return -1;
}

function add(listeners, type, listener) {
  const list = listeners.get(type);
  if (list === undefined) {
    listeners.set(type, [listener]);
    if (type === 'abort') internal.countAbortWatchers?.(listeners.owner, 1);
  } else if (find(list, listener.callback, listener.capture) === -1) {
    ArrayPrototypePush(list, listener);
  } else {
    return false;
  }
  return true;
}

function remove(listeners, type, callback, capture) {
  const list = listeners.get(type);
  const index = list === undefined ? -1 : find(list, callback, capture);
  if (index !== -1) removeAt(listeners, type, list, index);
}

function removeAt(listeners, type, list, index) {
  list[index].removed = true;
  ArrayPrototypeSplice(list, index, 1);
  if (list.length > 0) return;
  listeners.delete(type);
  if (type === 'abort') internal.countAbortWatchers?.(listeners.owner, -1);
}

// dispatch: false if the event was canceled. Listeners that capture come first; those added meanwhile do not run, those
// removed meanwhile neither.
function dispatch(target, event, state) {
  state.isDispatching = true;
  state.target = target;
  state.currentTarget = target;
  state.phase = AT_TARGET;
  const listeners = listenersOf(target);
  const list = listeners.get(state.type);
  if (list !== undefined && !state.stopPropagation) {
    const current = ArrayPrototypeSlice(list);
    invokeAll(listeners, current, true, event, state);
    if (!state.stopPropagation) invokeAll(listeners, current, false, event, state);
  }
  state.isDispatching = false;
  state.currentTarget = null;
  state.phase = NONE;
  state.stopPropagation = false;
  state.stopImmediate = false;
  return !state.canceled;
}

function invokeAll(listeners, current, capture, event, state) {
  for (let i = 0; i < current.length && !state.stopImmediate; i++) {
    const listener = current[i];
    if (listener.capture !== capture || listener.removed) continue;
    if (listener.once) {
      const list = listeners.get(state.type);
      removeAt(listeners, state.type, list, ArrayPrototypeIndexOf(list, listener));
    }
    state.isInPassiveListener = listener.passive;
    try {
      invoke(listener, event, state.currentTarget);
    } catch (error) {
      // Reported after this dispatch, which goes on to the other listeners.
      native.enqueueMicrotask(() => internal.reportError(error));
    }
    state.isInPassiveListener = false;
  }
}

function invoke(listener, event, target) {
  const { callback } = listener;
  if (typeof callback === 'function') {
    const result = FunctionPrototypeCall(callback, target, event);
    if (listener.isHandler && result === false) event.preventDefault();
    return;
  }
  const method = callback.handleEvent;
  if (typeof method !== 'function') throw new TypeError('The listener has no handleEvent method');
  FunctionPrototypeCall(method, callback, event);
}

// defineHandler(Class, type): the event handler attribute `on<type>`. Its listener takes its place when first set.
internal.defineHandler = (Class, type) => {
  const handlers = new SafeWeakMap();
  ObjectDefineProperty(Class.prototype, `on${type}`, {
    __proto__: null,
    get() { return handlers.get(this)?.callback ?? null; },
    set(value) {
      const listeners = listenersOf(this);
      const callback = typeof value === 'function' ? value : null;
      const known = handlers.get(this);
      if (known !== undefined && callback !== null) {
        known.callback = callback;
      } else if (known !== undefined) {
        const list = listeners.get(type);
        removeAt(listeners, type, list, ArrayPrototypeIndexOf(list, known));
        handlers.delete(this);
      } else if (callback !== null) {
        const listener = {
          callback, capture: false, once: false, passive: false, isHandler: true, removed: false,
        };
        add(listeners, type, listener);
        handlers.set(this, listener);
      }
    },
    enumerable: true,
    configurable: true,
  });
};

// dispatchTrusted(target, event): for events that fino itself fires.
internal.dispatchTrusted = (target, event) => {
  const state = stateOf(event);
  state.isTrusted = true;
  return dispatch(target, event, state);
};

// adoptEventTarget(target): makes it one, except for its prototype.
internal.adoptEventTarget = (target) => { adopted.set(target, makeListeners(target)); };

internal.Event = Event;
internal.CustomEvent = CustomEvent;
internal.EventTarget = EventTarget;
