// DiskFileSystem.watch: what the kernel tells of changes, by directory and in its own words, as events with paths.
//
// The kernel is asked for more only when somebody wants the next event, so what is not read waits there, bounded; when
// it is too much, that is an event, too.
'use strict';

const {
  ArrayPrototypePop, ArrayPrototypePush, ArrayPrototypeShift, PromisePrototypeThen, PromiseResolve, SafeMap,
  StringPrototypeEndsWith, StringPrototypeStartsWith, SymbolAsyncIterator, TypeError,
} = internal.primordials;
const { describe } = internal;
const { fileOperations: operations } = native;

const IN_MODIFY = 0x2;
const IN_ATTRIB = 0x4;
const IN_MOVED_FROM = 0x40;
const IN_MOVED_TO = 0x80;
const IN_CREATE = 0x100;
const IN_DELETE = 0x200;
const IN_DELETE_SELF = 0x400;
const IN_MOVE_SELF = 0x800;
const IN_UNMOUNT = 0x2000;
const IN_Q_OVERFLOW = 0x4000;
const IN_IGNORED = 0x8000;
const IN_ISDIR = 0x40000000;

const FIELDS = 4; // of an event: watch, mask, cookie, name
const INNER = 2; // file.h's FILE_RECURSIVE
const DT_DIR = 4;

const joined = (directory, name) =>
  directory === '.' ? name : StringPrototypeEndsWith(directory, '/') ? directory + name : `${directory}/${name}`;

// hasGone(error): of a directory that is one no more.
const hasGone = ({ code }) => code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';

class FileWatcher {
  #system; // what js/file.js lends
  #path;
  #isRecursive;
  #id = 0;
  #top; // the watch of #path
  #directories = new SafeMap(); // watch -> its path
  #events = [];
  #isOver = false;
  #stop = new internal.AbortController();
  #ready;
  #last = PromiseResolve(); // call of next()
  #closing;
  #undo; // of the caller's signal

  constructor(caller, system, path, isRecursive, signal) {
    if (caller !== native) throw new TypeError('Illegal constructor: use DiskFileSystem.watch');
    if (signal !== undefined && signal !== null) {
      if (!internal.isAbortSignal(signal)) throw new TypeError(`signal must be an AbortSignal, not ${describe(signal)}`);
      signal.throwIfAborted();
      this.#undo = internal.onAbort(signal, () => { this.close(); });
    }
    this.#system = system;
    this.#path = path;
    this.#isRecursive = isRecursive;
    this.#ready = this.#open();
    PromisePrototypeThen(this.#ready, undefined, () => {}); // who reads is told
  }

  get path() { return this.#path; }
  get ready() { return this.#ready; }

  next() {
    const next = PromisePrototypeThen(this.#last, () => this.#next());
    this.#last = PromisePrototypeThen(next, undefined, () => {});
    return next;
  }

  async return(value = undefined) {
    await this.close();
    return { value, done: true };
  }

  close() { return this.#closing ??= this.#end(); }

  [SymbolAsyncIterator]() { return this; }
  [Symbol.asyncDispose]() { return this.close(); }

  // --- from here on: what happens inside ---

  async #open() {
    const [id] = await this.#system.run(undefined, operations.watchOpen, 0, this.#path);
    this.#id = id;
    this.#system.keep(this, id);
    this.#top = await this.#add(this.#path, 0);
    if (this.#isRecursive) await this.#descend(this.#path, false);
  }

  async #next() {
    try {
      await this.#ready;
      while (this.#events.length === 0 && !this.#isOver) await this.#read();
      if (this.#events.length > 0) return { value: ArrayPrototypeShift(this.#events), done: false };
    } catch (error) {
      if (this.#closing === undefined) {
        await this.close();
        throw error;
      }
    }
    await this.close();
    return { value: undefined, done: true };
  }

  async #end() {
    this.#isOver = true;
    this.#events = [];
    if (this.#undo !== undefined) this.#undo();
    this.#stop.abort();
    try {
      await this.#ready;
    } catch {
      // next() and `ready` tell
    }
    if (this.#id === 0) return;
    this.#system.drop(this);
    await this.#system.run(undefined, operations.close, this.#id, this.#path);
  }

  #tell(type, path, from = undefined) {
    if (this.#closing !== undefined) return;
    ArrayPrototypePush(this.#events, from === undefined ? { type, path } : { type, path, from });
  }

  #run(operation, path, flags, number) {
    return this.#system.run(this.#stop.signal, operation, this.#id, path, undefined, flags, number);
  }

  async #add(path, flags) {
    const watch = await this.#run(operations.watchAdd, path, flags, this.#system.root);
    this.#directories.set(watch, path);
    return watch;
  }

  // Watches a directory and all below it. It is watched before it is read, so that nothing is missed in between.
  async #descend(top, isNew) {
    const waiting = [top];
    while (waiting.length > 0) {
      const path = ArrayPrototypePop(waiting);
      try {
        if (path !== this.#path) await this.#add(path, INNER);
        const entries = await this.#system.list(path, this.#stop.signal);
        for (let i = 0; i < entries.length; i += 2) {
          const inner = joined(path, entries[i + 1]);
          if (isNew) this.#tell('create', inner);
          if (entries[i] === DT_DIR) ArrayPrototypePush(waiting, inner);
        }
      } catch (error) {
        if (!hasGone(error)) throw error;
      }
    }
  }

  // No longer watches the directories for which isLeft(watch, path).
  async #forget(isLeft) {
    const watches = [];
    this.#directories.forEach((directory, watch) => { if (isLeft(watch, directory)) ArrayPrototypePush(watches, watch); });
    for (let i = 0; i < watches.length; i++) {
      const path = this.#directories.get(watches[i]);
      this.#directories.delete(watches[i]);
      await this.#run(operations.watchRemove, path, 0, watches[i]);
    }
  }

  // A directory and what is below it has another name now, or is elsewhere.
  #leave(path) {
    return this.#forget((_, directory) => directory === path || StringPrototypeStartsWith(directory, `${path}/`));
  }

  // Events were lost: which directories there are must be found anew.
  async #recover() {
    this.#tell('overflow', this.#path);
    if (!this.#isRecursive) return;
    await this.#forget((watch) => watch !== this.#top);
    await this.#descend(this.#path, false);
  }

  async #read() {
    const list = await this.#run(operations.watchRead, this.#path, 0, 0);
    for (let i = 0; i < list.length && !this.#isOver; i += FIELDS) {
      const watch = list[i];
      const mask = list[i + 1];
      const cookie = list[i + 2];
      const name = list[i + 3];
      if (mask & IN_Q_OVERFLOW) await this.#recover();
      const directory = this.#directories.get(watch);
      if (directory === undefined) continue; // one that was left
      if (name === '') {
        this.#takeOwn(watch, mask);
      } else if (mask & IN_MOVED_FROM && list[i + FIELDS + 2] === cookie && this.#directories.has(list[i + FIELDS])) {
        i += FIELDS;
        const to = joined(this.#directories.get(list[i]), list[i + 3]);
        await this.#takeRename(joined(directory, name), to, mask);
      } else {
        await this.#take(joined(directory, name), mask);
      }
    }
  }

  // An event of what is watched itself. Of directories that were found, their parent tells.
  #takeOwn(watch, mask) {
    if (mask & IN_IGNORED) this.#directories.delete(watch);
    if (watch !== this.#top) return;
    if (mask & (IN_MODIFY | IN_ATTRIB)) this.#tell('change', this.#path);
    if (mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) this.#tell('remove', this.#path);
    if (mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) this.#isOver = true;
  }

  async #takeRename(from, to, mask) {
    this.#tell('rename', to, from);
    if (!(mask & IN_ISDIR) || !this.#isRecursive) return;
    await this.#leave(from);
    await this.#descend(to, false);
  }

  async #take(path, mask) {
    const isTree = (mask & IN_ISDIR) !== 0 && this.#isRecursive;
    if (mask & (IN_CREATE | IN_MOVED_TO)) {
      this.#tell('create', path);
      if (isTree) await this.#descend(path, true);
    } else if (mask & (IN_DELETE | IN_MOVED_FROM)) {
      this.#tell('remove', path);
      if (isTree) await this.#leave(path);
    } else {
      this.#tell('change', path);
    }
  }
}

internal.FileWatcher = FileWatcher;
