// The properties of globalThis: those of the web that fino has. Most are lazy: the script behind one runs when it is
// first read.
'use strict';

const {
  AsyncIteratorPrototype, IteratorPrototype, ObjectDefineProperty, ObjectKeys, StringPrototypeSplit, Symbol, TypeError,
} = internal.primordials;
const { customInspect, defineHidden, lazyProperty, webInterface } = internal;

const lazy = {
  node_buffer: 'Buffer',
  abort: 'AbortController AbortSignal',
  base64: 'atob btoa',
  blob: 'Blob File',
  clone: 'structuredClone',
  console: 'console',
  encoding: 'TextDecoder TextEncoder',
  errors: 'DOMException reportError',
  fetch: 'fetch',
  form_data: 'FormData',
  http_headers: 'Headers',
  http_message: 'Request Response',
  streams: 'ReadableStream ReadableStreamDefaultController ReadableStreamDefaultReader',
  streams_base: 'ByteLengthQueuingStrategy CountQueuingStrategy',
  streams_text: 'TextDecoderStream TextEncoderStream',
  streams_transform: 'TransformStream TransformStreamDefaultController',
  streams_writable: 'WritableStream WritableStreamDefaultController WritableStreamDefaultWriter',
  events: 'CustomEvent Event EventTarget',
  events_error: 'ErrorEvent PromiseRejectionEvent',
  immediates: 'clearImmediate setImmediate',
  port: 'MessageChannel MessageEvent MessagePort',
  performance: 'Performance PerformanceEntry PerformanceMark PerformanceMeasure performance',
  timers: 'clearInterval clearTimeout setInterval setTimeout',
  url: 'URL',
  url_search_params: 'URLSearchParams',
};

// What WebIDL operations on the global and namespaces have: enumerable, unlike classes.
const enumerable = {
  __proto__: null,
  atob: true, btoa: true, fetch: true, structuredClone: true, reportError: true, performance: true, setTimeout: true,
  clearTimeout: true, setInterval: true, clearInterval: true, setImmediate: true, clearImmediate: true,
};

function defineLazily(file, list) {
  const names = StringPrototypeSplit(list, ' ');
  for (let i = 0; i < names.length; i++) lazyProperty(globalThis, names[i], file, enumerable[names[i]] === true);
}
const files = ObjectKeys(lazy);
for (let i = 0; i < files.length; i++) defineLazily(files[i], lazy[files[i]]);

function defineEnumerable(name, value) {
  ObjectDefineProperty(globalThis, name, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
}

defineEnumerable('self', globalThis);

// Its memories are beyond any limit of the heap; C refuses its code as well.
if (native.hasHeapLimit) delete globalThis.WebAssembly;

// What a sandbox may not import it can't have by a global either.
const refusal = native.importRefusal('fino:net/http');
if (refusal !== undefined) {
  defineEnumerable('fetch', async function fetch() {
    throw internal.errorWithCode(`fetch is refused, as an import of 'fino:net/http' would be: ${refusal}`,
      'ERR_IMPORT_REFUSED');
  });
}

// Programs from npm look at it without an import.
if (native.importRefusal('fino:process') === undefined && native.importRefusal('node:process') === undefined) {
  lazyProperty(globalThis, 'process', 'node_process', false, 'nodeProcess');
}

defineEnumerable('queueMicrotask', function queueMicrotask(callback) {
  internal.needFunction(callback, 'queueMicrotask: callback');
  const labels = internal.currentLabels();
  native.enqueueMicrotask(labels === 0 ? callback : () => {
    native.labelsSet(labels);
    try {
      callback();
    } finally {
      native.labelsSet(0);
    }
  });
});

// For `using`, which is lowered where V8 does not know it: then it lacks what belongs to it as well. An iterator, and so a
// generator, is disposed of by returning.
function defineDisposal() {
  ObjectDefineProperty(Symbol, 'dispose', { __proto__: null, value: Symbol('Symbol.dispose') });
  ObjectDefineProperty(Symbol, 'asyncDispose', { __proto__: null, value: Symbol('Symbol.asyncDispose') });
  const methods = {
    [Symbol.dispose]() { this.return?.(); },

    async [Symbol.asyncDispose]() { await this.return?.(); },
  };
  defineHidden(IteratorPrototype, Symbol.dispose, methods[Symbol.dispose]);
  defineHidden(AsyncIteratorPrototype, Symbol.asyncDispose, methods[Symbol.asyncDispose]);
  defineLazily('dispose', 'AsyncDisposableStack DisposableStack SuppressedError');
}
if (Symbol.dispose === undefined) defineDisposal();

class Navigator {
  constructor(caller) {
    if (caller !== native) throw new TypeError('Illegal constructor');
  }

  get hardwareConcurrency() { return native.hardwareConcurrency; }
  get platform() { return `${native.platform} ${native.arch}`; }
  get userAgent() { return `fino/${native.version}`; }
}
webInterface(Navigator, 'Navigator');
defineHidden(Navigator.prototype, customInspect, function (depth, options, inspect) {
  if (this === Navigator.prototype) return this;
  const { hardwareConcurrency, platform, userAgent } = this;
  return `Navigator ${inspect({ hardwareConcurrency, platform, userAgent }, options)}`;
});
defineHidden(globalThis, 'Navigator', Navigator);
const navigator = new Navigator(native);
ObjectDefineProperty(globalThis, 'navigator', {
  __proto__: null, get() { return navigator; }, enumerable: true, configurable: true,
});
