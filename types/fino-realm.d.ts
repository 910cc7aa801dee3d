// The modules fino:realm, fino:realm/pool and fino:realm/self.

declare module 'fino:realm' {
  export interface RealmOptions {
    /** The module that the Realm runs: a path, from the working directory, or a file: URL, such as
     * `new URL('./worker.ts', import.meta.url)`. */
    entry: string | URL;
    /** What its samples are labelled with in profiles, made unique by "#2", "#3", ...; the entry's file name if not
     * given. */
    name?: string;
    /** For `realm.args` in it, cloned, and, as strings, for `process.args`. */
    args?: Iterable<unknown>;
    /** Its `process.env`; a copy of this Realm's if not given. */
    env?: Record<string, unknown>;
    /** true: on a thread of its own. false (the default): on one of a few threads, which such Realms share. */
    thread?: boolean;
    /** true: in a process of its own. A crash in it, of whatever kind, is a rejection with the code ERR_REALM_CRASHED and
     * the `signal` or `exitCode` that its process ended with. Nothing is shared with it: SharedArrayBuffers and
     * WebAssembly.Modules are a DataCloneError, ArrayBuffers that are transferred are copied. */
    process?: boolean;
    /** 'host:port' of a `fino realm-host`, which makes it a process; paths in `entry` and `overrides` are that host's. If
     * the connection breaks, or nothing is heard for 20 s, it is ERR_REALM_LOST. */
    remote?: string;
    /** What is in the file that the host was started with. */
    token?: string;
    /** What it may import: this makes it a sandbox, on a thread of its own. */
    overrides?: ImportMap;
    /** Each is optional, and past it the Realm ends; with any, it has a thread of its own. */
    limits?: {
      /** From 16, in MB: its heap, as much again of ArrayBuffers, and of messages that nobody has taken. */
      heapMB?: number;
      /** Milliseconds of CPU time of its thread. */
      cpuMs?: number;
      /** 128 to 7168, in kB. Beyond it, functions throw a RangeError. */
      stackKB?: number;
    };
  }

  /** Of a name, with `*` for any text without a slash and `**` for any text: 'fino:net/*', './lib/**', 'lodash'. */
  type Pattern = string | URL;
  type ImportRule =
    | { allow: Pattern }
    | { block: Pattern }
    /** It is `to`, a specifier in the working directory, which need not be allowed by itself. */
    | { remap: Pattern; to: string | URL }
    /** It is a module of that text. */
    | { source: Pattern; text: string }
    /** It has these exports, and no more. */
    | { facade: Pattern; exports: Iterable<string> };

  /** What a sandbox may import. Of the rules that match the last decides; a refusal has the code ERR_IMPORT_REFUSED. */
  export class ImportMap {
    private constructor();
    /** Nothing but what the rules grant. */
    static deny(rules?: Iterable<ImportRule>): ImportMap;
    /** What the owner may import, but for the rules. */
    static inherit(rules?: Iterable<ImportRule>): ImportMap;
  }

  /**
   * An isolate with its own heap, globals, modules and event loop.
   *
   * Errors come from it as errors of this Realm, with name, message, stack, code and cause; other codes are
   * ERR_REALM_TERMINATED, ERR_REALM_ENDED, ERR_REALM_HEAP_LIMIT, ERR_REALM_CPU_LIMIT,
   * ERR_REALM_UNSETTLED, ERR_REALM_START, ERR_REALM_CRASHED and ERR_REALM_LOST.
   */
  export class Realm {
    constructor(options: RealmOptions);
    /**
     * A Realm whose entry is this text, a module; relative imports start at the working directory.
     *
     * @example
     * ```ts
     * import { Realm } from 'fino:realm';
     * using realm = Realm.fromSource('export default (a, b) => a + b;');
     * console.log(await realm.call(2, 3)); // 5
     * ```
     */
    static fromSource(source: string, options?: Omit<RealmOptions, 'entry'>): Realm;

    readonly id: number;
    /** Its label in profiles. */
    readonly thread: string;
    /** Connected to `realm.port` inside. Does not keep this Realm alive; ref() it if it shall. */
    readonly port: MessagePort;

    /** Starts it, once. Resolves with its exit code when its work is done; rejects with what nobody caught there. */
    run(): Promise<number>;
    /** Calls the entry's default export, any number of times at once. The Realm then stays, until it is closed or
     * terminated, or this Realm has nothing left to do. */
    call(...args: unknown[]): Promise<any>;
    /** Calls that have not settled. */
    readonly pending: number;

    /** No more calls: it ends when what it does is done. Resolves then. */
    close(): Promise<void>;
    /** Ends it at once, in the middle of an endless loop too. Resolves then. */
    terminate(): Promise<void>;

    /** Does a run() or call() that has not settled keep this Realm alive? It does unless unref() was called. */
    ref(): this;
    unref(): this;
    hasRef(): boolean;

    [Symbol.dispose](): void;
    [Symbol.asyncDispose](): Promise<void>;
  }
  export default Realm;
}

/** Not in the main Realm. */
declare module 'fino:realm/self' {
  export const realm: {
    readonly id: number;
    readonly name: string;
    readonly kind: string;
    readonly args: any[];
    /** Connected to the owner's `Realm.port`. Once it is started it keeps this Realm alive, until it is closed. */
    readonly port: MessagePort;
  };
  export default realm;
}

declare module 'fino:realm/pool' {
  import type { RealmOptions } from 'fino:realm';

  interface RealmPoolOptions {
    /** As a Realm's. Its default export is what call() calls. */
    entry: string | URL;
    /** Of how many Realms, at most; the number of processors if not given. They are started as they are needed. */
    size?: number;
    /** Milliseconds that a call may take. Then it rejects with ERR_REALM_TIMEOUT, and its Realm is terminated, since it
     * may be stuck: other calls pending there reject with ERR_REALM_TERMINATED. */
    timeout?: number;
    /** Milliseconds that close() waits for pending calls. */
    closeTimeout?: number;
    /** The other options of each Realm. */
    realm?: Omit<RealmOptions, 'entry'>;
  }

  /** Like Realms behind one call(). A Realm that ends takes only its own calls with it, and is replaced. */
  export class RealmPool {
    constructor(options: RealmPoolOptions);
    /** In the Realm that has the least to do. */
    call(...args: unknown[]): Promise<any>;
    readonly size: number;
    /** Calls that have not settled. */
    readonly pending: number;
    /** No more calls. Resolves when those that are pending have settled and all Realms have ended. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
  }
  export default RealmPool;
}
