// MessagePort, MessageChannel and MessageEvent, after the HTML Standard: ports within a Realm and between Realms.
'use strict';

const {
  ArrayPrototypeIndexOf, ArrayPrototypePush, FunctionPrototypeCall, ObjectDefineProperty, ObjectFreeze,
  ObjectGetOwnPropertyDescriptor, ObjectSetPrototypeOf, SafeWeakMap, SymbolIterator, TypeError,
} = internal.primordials;
const {
  Event, EventTarget, adoptEventTarget, defineHandler, dictionary, dispatchTrusted, illegalThis, listOf, needArguments,
  webInterface,
} = internal;

class MessageEvent extends Event {
  #data;
  #ports;
  #origin;
  #lastEventId;
  #source;

  constructor(type, options = undefined) {
    needArguments(arguments.length, 1, 'MessageEvent constructor');
    super(type, options);
    const bag = dictionary(options, 'MessageEvent options');
    this.#data = bag.data === undefined ? null : bag.data;
    this.#ports = ObjectFreeze(bag.ports === undefined ? [] : listOf(bag.ports, 'MessageEvent options.ports'));
    this.#origin = bag.origin === undefined ? '' : `${bag.origin}`;
    this.#lastEventId = bag.lastEventId === undefined ? '' : `${bag.lastEventId}`;
    this.#source = bag.source ?? null;
  }

  get data() {
    if (!(#data in this)) throw illegalThis('MessageEvent');
    return this.#data;
  }

  get ports() { return this.#ports; }
  get origin() { return this.#origin; }
  get lastEventId() { return this.#lastEventId; }
  get source() { return this.#source; }
}
webInterface(MessageEvent, 'MessageEvent');

// transferList(value, where): what postMessage's second argument names: a list, or { transfer: a list }.
function transferList(value, where) {
  const isList = typeof value === 'object' && value !== null && value[SymbolIterator] !== undefined;
  const list = isList ? value : dictionary(value, where).transfer;
  return list === undefined ? [] : listOf(list, `${where}.transfer`);
}

const Host = native.hostClass();

// The pointer inside of the object is C's: natives throw when `this` is something else.
class MessagePort extends Host {
  constructor(caller) {
    if (caller !== native) throw new TypeError('Illegal constructor');
    super();
    adoptEventTarget(this);
  }

  postMessage(message, options = undefined) {
    needArguments(arguments.length, 1, 'MessagePort.postMessage');
    const list = transferList(options, 'MessagePort.postMessage: options');
    for (let i = 0; i < list.length; i++) {
      if (ArrayPrototypeIndexOf(list, list[i]) === i) continue;
      throw internal.makeDOMException(`Value at index ${i} of transfer is there twice`, 'DataCloneError');
    }
    native.portPost(this, message, list);
  }

  // Until it is called, or `onmessage` is set, messages wait.
  start() { native.portStart(this); }
  close() { native.portClose(this); }

  // A port that was started keeps the Realm alive, unless it is unref'd.
  ref() {
    native.portRef(this, true);
    return this;
  }

  unref() {
    native.portRef(this, false);
    return this;
  }

  hasRef() { return native.portHasRef(this); }
}
webInterface(MessagePort, 'MessagePort');
ObjectSetPrototypeOf(MessagePort.prototype, EventTarget.prototype);
defineHandler(MessagePort, 'message');
defineHandler(MessagePort, 'messageerror');
defineHandler(MessagePort, 'close');
const { get, set } = ObjectGetOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
ObjectDefineProperty(MessagePort.prototype, 'onmessage', {
  __proto__: null,
  get,
  set(value) {
    FunctionPrototypeCall(set, this, value);
    native.portStart(this);
  },
  enumerable: true,
  configurable: true,
});

class MessageChannel {
  #ports = native.portPair();

  get port1() {
    if (!(#ports in this)) throw illegalThis('MessageChannel');
    return this.#ports[0];
  }

  get port2() {
    if (!(#ports in this)) throw illegalThis('MessageChannel');
    return this.#ports[1];
  }
}
webInterface(MessageChannel, 'MessageChannel');

// Ports of fino's own: { message, close } instead of events.
const handled = new SafeWeakMap();

// handlePort(port, handlers): starts the port; nobody else must see it.
internal.handlePort = (port, handlers) => {
  handled.set(port, handlers);
  native.portStart(port);
};

internal.postInternal = (port, message, transfer = []) => native.portPost(port, message, transfer);

// Called by C.
internal.makePort = () => new MessagePort(native);
internal.onPortMessage = (port, data, ports) => {
  const handlers = handled.get(port);
  if (handlers !== undefined) {
    handlers.message(data);
  } else {
    const moved = [];
    for (let i = 0; i < ports.length; i++) ArrayPrototypePush(moved, ports[i]);
    dispatchTrusted(port, new MessageEvent('message', { __proto__: null, data, ports: moved }));
  }
};
internal.onPortError = (port) => {
  if (!handled.has(port)) dispatchTrusted(port, new MessageEvent('messageerror'));
};
internal.onPortClosed = (port) => {
  const handlers = handled.get(port);
  if (handlers !== undefined) handlers.close();
  else dispatchTrusted(port, new Event('close'));
};

internal.MessageChannel = MessageChannel;
internal.MessageEvent = MessageEvent;
internal.MessagePort = MessagePort;
