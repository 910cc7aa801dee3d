// The first script of every Realm, and the only one that C runs by itself.
//
// It captures the intrinsics, sets the entry points that C calls, and defines the globals. All else is loaded when it
// is first used: `internal.load(name)` runs the embedded script `name` once, with the same `(native, internal)`.
'use strict';

const loaded = { __proto__: null };

// load(name): runs a built-in script unless it has run; what it offers are properties of `internal`.
internal.load = (name) => {
  if (loaded[name]) return;
  loaded[name] = true;
  native.load(name);
};

internal.load('primordials');
internal.load('util');

const { lazyProperty } = internal;

// Each of these properties appears when the script that owns it has run.
const owners = {
  dispose: ['AsyncDisposableStack', 'DisposableStack', 'SuppressedError'],
  stack: ['formatStack'],
  errors: ['DOMException', 'makeDOMException', 'reportError'],
  inspect: ['inspect'],
  inspect_error: ['formatError'],
  console_table: ['tableText'],
  format: ['format', 'formatWithOptions'],
  events: ['Event', 'EventTarget', 'CustomEvent', 'adoptEventTarget', 'defineHandler', 'dispatchTrusted'],
  events_error: ['ErrorEvent', 'PromiseRejectionEvent'],
  abort: ['AbortController', 'AbortSignal', 'isAbortSignal', 'onAbort'],
  encoding: ['TextEncoder', 'TextDecoder'],
  base64: ['atob', 'btoa'],
  url: ['URL'],
  url_search_params: ['URLSearchParams', 'parseForm'],
  timers: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'onTimer'],
  immediates: ['setImmediate', 'clearImmediate', 'onImmediate'],
  performance: ['performance', 'Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure'],
  console: ['console'],
  clone: ['structuredClone'],
  commonjs: ['Module', 'importCommonJs', 'makeRequire', 'nodeModulePaths'],
  process: ['process', 'processModule', 'onSignal', 'emitProcessEvent'],
  profiler: ['profilerModule'],
  node_buffer: ['Buffer', 'nodeBufferModule'],
  node_fs: ['nodeFsModule', 'nodeFsPromisesModule'],
  node_module: ['nodeModuleModule'],
  node_path: ['nodePathModule'],
  node_process: ['nodeProcess', 'nodeProcessModule'],
  node_small: ['nodeOsModule', 'nodePerformanceModule', 'nodeTimersModule', 'nodeTtyModule'],
  node_url: ['nodeUrlModule'],
  path: ['pathModule', 'fromFileUrl', 'joinPath'],
  file: ['DirectoryEntry', 'FileStat', 'fileModule'],
  file_glob: ['globFiles'],
  file_watch: ['FileWatcher'],
  streams_base: ['ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'streamBase'],
  streams: ['ReadableStream', 'ReadableStreamDefaultController', 'ReadableStreamDefaultReader', 'isReadableStream',
    'isStreamDisturbed', 'iteratorOf', 'readableParts', 'streamOf'],
  streams_writable: ['WritableStream', 'WritableStreamDefaultController', 'WritableStreamDefaultWriter', 'isWritableStream',
    'writableParts'],
  streams_pipe: ['pipeThrough', 'pipeTo'],
  streams_transform: ['TransformStream', 'TransformStreamDefaultController'],
  streams_text: ['TextDecoderStream', 'TextEncoderStream'],
  blob: ['Blob', 'File', 'blobs'],
  form_data: ['FormData', 'formList'],
  multipart: ['multipart'],
  http_headers: ['Headers', 'headersList', 'headersOf', 'parseFields'],
  http_body: ['httpBody'],
  http_message: ['Request', 'Response', 'httpMessage'],
  http_server: ['httpServerModule'],
  http: ['httpModule'],
  fetch: ['fetch'],
  tcp: ['tcpConnect', 'tcpModule'],
  port: ['MessageChannel', 'MessageEvent', 'MessagePort', 'makePort', 'onPortMessage', 'onPortError', 'onPortClosed',
    'handlePort', 'postInternal'],
  import_map: ['ImportMap', 'importMapWords'],
  realm_error: ['packError', 'unpackError'],
  realm: ['Realm', 'realmModule', 'whenRealmEnds'],
  realm_pool: ['realmPoolModule'],
  realm_self: ['beginSelf', 'realmSelfModule', 'self'],
};
for (const file of Object.keys(owners)) {
  for (const name of owners[file]) lazyProperty(internal, name, file);
}

internal.modules = { __proto__: null };
const modules = {
  __proto__: null, process: 'processModule', profiler: 'profilerModule', file: 'fileModule', 'file/path': 'pathModule',
  'net/http': 'httpModule', 'net/http/server': 'httpServerModule', 'net/tcp': 'tcpModule', realm: 'realmModule',
  'realm/pool': 'realmPoolModule',
};
if (native.isChild) modules['realm/self'] = 'realmSelfModule';
for (const name of Object.keys(modules)) {
  Object.defineProperty(internal.modules, `fino:${name}`, { enumerable: true, get: () => internal[modules[name]] });
}

// Node's: node_names.c has the same names.
const nodeModules = {
  __proto__: null, buffer: 'nodeBufferModule', fs: 'nodeFsModule', 'fs/promises': 'nodeFsPromisesModule',
  module: 'nodeModuleModule', os: 'nodeOsModule', path: 'nodePathModule',
  'path/posix': 'nodePathModule', perf_hooks: 'nodePerformanceModule', process: 'nodeProcessModule', timers: 'nodeTimersModule', tty: 'nodeTtyModule',
  url: 'nodeUrlModule',
};
for (const name of Object.keys(nodeModules)) {
  Object.defineProperty(internal.modules, `node:${name}`, { enumerable: true, get: () => internal[nodeModules[name]] });
}

internal.load('globals');
