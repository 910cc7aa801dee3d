// The modules fino:file and fino:file/path.

declare module 'fino:file' {
  /** A name that isn't UTF-8 has each such byte 0xNN as the lone surrogate U+DCNN, and can be used like any other. */
  export type Path = string | URL | Uint8Array;
  export type Data = string | ArrayBufferLike | ArrayBufferView;
  export type Kind = 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'character' | 'block' | 'unknown';

  export interface CallOptions {
    /** Gives up, and rejects with the signal's reason; what is done by then stays done. */
    signal?: AbortSignal;
  }
  export interface WriteOptions extends CallOptions {
    /** Of a file that is new, before the umask: 0o666. */
    mode?: number;
    /** Resolve only when it is on the disk. */
    sync?: boolean;
  }
  export interface At extends CallOptions {
    /** In bytes from the start; otherwise where the last call without one ended. */
    position?: number;
  }

  /** Errors of the system. */
  export interface FileError extends Error {
    /** Such as 'ENOENT'; 'EACCES' also for a path that leads out of a root. */
    code: string;
    errno: number;
    syscall: string;
    path?: string;
    dest?: string;
  }

  /**
   * The disk, or a part of it that no path leads out of: beneath a root, '/a' and 'a' are the same, and neither '..' nor
   * symbolic links, not even those swapped in meanwhile, reach anything else. Calls that take time don't hold up the
   * event loop.
   *
   * @example
   * ```ts
   * import { DiskFileSystem } from 'fino:file';
   * const files = new DiskFileSystem('.'); // nothing outside of the working directory can be reached
   * await files.writeFile('notes.txt', 'one\ntwo\n', { atomic: true });
   * await files.appendFile('notes.txt', 'three\n');
   * console.log((await files.readFile('notes.txt')).split('\n').length); // 4
   * const error = await files.readFile('../secret').catch((reason) => reason);
   * console.log(error.code, error.path, error.syscall !== undefined); // EACCES ../secret true
   * ```
   */
  export class DiskFileSystem {
    constructor(root?: Path);
    readonly root: Path | undefined;
    /** As UTF-8, without a byte order mark. */
    readFile(path: Path, options?: CallOptions): Promise<string>;
    readBytes(path: Path, options?: CallOptions): Promise<Uint8Array>;
    /** With `atomic` whoever reads it sees the old content or the new, also after a crash. */
    writeFile(path: Path, data: Data, options?: WriteOptions & { atomic?: boolean }): Promise<void>;
    appendFile(path: Path, data: Data, options?: WriteOptions): Promise<void>;
    open(path: Path, how?: 'r' | 'r+' | 'w' | 'w+' | 'wx' | 'wx+' | 'a' | 'a+' | 'ax' | 'ax+',
      options?: CallOptions & { mode?: number }): Promise<FileHandle>;
    stat(path: Path): Promise<FileStat>;
    /** Of a symbolic link itself. */
    lstat(path: Path): Promise<FileStat>;
    exists(path: Path): Promise<boolean>;
    mkdir(path: Path, options?: { recursive?: boolean; mode?: number }): Promise<void>;
    rmdir(path: Path, options?: CallOptions & { recursive?: boolean }): Promise<void>;
    unlink(path: Path): Promise<void>;
    rename(from: Path, to: Path): Promise<void>;
    copy(from: Path, to: Path, options?: CallOptions & { exclusive?: boolean }): Promise<void>;
    symlink(target: Path, path: Path): Promise<void>;
    readlink(path: Path): Promise<string>;
    chmod(path: Path, mode: number): Promise<void>;
    /** Dates, or seconds since 1970. */
    utimes(path: Path, accessed: Date | number, modified: Date | number): Promise<void>;
    /** Makes a directory whose name begins with the prefix, for this user alone; resolves with its path. */
    mkdtemp(prefix: Path): Promise<string>;
    /** The entries of a directory, in no order. */
    dir(path?: Path): AsyncGenerator<DirectoryEntry, void, void>;

    /**
     * The paths that a pattern means, each once, those of a directory by name. They begin as the pattern does; relative
     * ones are relative to `cwd`.
     *
     * In a name `*` is any number of characters, `?` is one, `[a-z]` one of these, `[!a-z]` one of all others. `**` is
     * any number of directories, but none behind a symbolic link. `{a,b}` is a or b, where each may have slashes. `\\`
     * takes the meaning off what follows it, and with a slash at its end the pattern means only directories. A name that
     * begins with a dot is only meant by a pattern that does so too, unless `dot` is true.
     *
     * @example
     * ```ts
     * import { DiskFileSystem } from 'fino:file';
     * const files = new DiskFileSystem();
     * await files.mkdir('site/blog', { recursive: true });
     * for (const page of ['site/index.html', 'site/blog/first.html', 'site/draft.txt']) await files.writeFile(page, '');
     * for await (const path of files.glob('**' + '/*.html', { cwd: 'site' })) console.log(path);
     * // blog/first.html
     * // index.html
     * ```
     */
    glob(pattern: string, options?: CallOptions & { cwd?: string | URL; dot?: boolean }):
      AsyncGenerator<string, void, void>;

    /**
     * Tells what changes in a directory, `recursive`: and in all below it, or of a file. It ends when it is closed, when
     * the signal aborts, and when what it watches is removed.
     *
     * @example
     * ```ts
     * import { DiskFileSystem } from 'fino:file';
     * const files = new DiskFileSystem();
     * await files.mkdir('inbox', { recursive: true });
     * const watcher = files.watch('inbox');
     * await watcher.ready;
     * await files.writeFile('inbox/letter', 'Dear reader');
     * for await (const { type, path } of watcher) {
     *   console.log(type, path); // create inbox/letter
     *   break; // closes the watcher
     * }
     * ```
     */
    watch(path?: string | URL, options?: CallOptions & { recursive?: boolean }): FileWatcher;
  }

  /** Paths begin with the path that is watched. */
  export type WatchEvent =
    /** An entry appeared. What is found in a directory that has just appeared may be told twice. */
    | { type: 'create'; path: string }
    /** Its content, mode, owner or times changed. */
    | { type: 'change'; path: string }
    /** It is gone, or now outside of what is watched. */
    | { type: 'remove'; path: string }
    | { type: 'rename'; path: string; from: string }
    /** So much happened since the last event was read that some of it isn't known. */
    | { type: 'overflow'; path: string };

  /** While a next() is pending, it keeps the process alive. */
  export interface FileWatcher extends AsyncIterableIterator<WatchEvent> {
    readonly path: string;
    /** Settles when all that is there is being watched; rejects when it can't be. */
    readonly ready: Promise<void>;
    next(): Promise<IteratorResult<WatchEvent, undefined>>;
    return(value?: any): Promise<IteratorResult<WatchEvent, any>>;
    close(): Promise<void>;
    [Symbol.asyncIterator](): this;
    [Symbol.asyncDispose](): Promise<void>;
  }

  export class FileHandle {
    private constructor();
    readonly path: Path;
    readonly closed: boolean;
    /** So many bytes at most (65,536), or null at the end. */
    read(byteCount?: number, options?: At): Promise<Uint8Array | null>;
    /** Resolves with how many bytes there were; 0 at the end. */
    read(into: ArrayBufferLike | ArrayBufferView, options?: At): Promise<number>;
    /** All of it. Resolves with the number of bytes. */
    write(data: Data, options?: At): Promise<number>;
    reader(options?: At & { chunkBytes?: number }): FileReader;
    writer(options?: At): FileWriter;
    stat(): Promise<FileStat>;
    truncate(size?: number): Promise<void>;
    sync(): Promise<void>;
    datasync(): Promise<void>;
    /** After what was asked for before. Again is no error. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
  }

  export interface FileReader extends AsyncIterable<Uint8Array> {
    read(): Promise<Uint8Array | null>;
    bytes(): Promise<Uint8Array>;
    text(): Promise<string>;
  }
  export interface FileWriter {
    write(data: Data): Promise<number>;
    /** Closes the handle. */
    close(): Promise<void>;
  }

  export class FileStat {
    private constructor();
    readonly kind: Kind;
    readonly dev: number;
    readonly ino: number;
    readonly mode: number;
    readonly nlink: number;
    readonly uid: number;
    readonly gid: number;
    readonly rdev: number;
    readonly size: number;
    readonly blksize: number;
    readonly blocks: number;
    readonly atimeMs: number;
    readonly mtimeMs: number;
    readonly ctimeMs: number;
    readonly birthtimeMs: number;
    readonly atime: Date;
    readonly mtime: Date;
    readonly ctime: Date;
    readonly birthtime: Date;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
    isFIFO(): boolean;
    isSocket(): boolean;
    isCharacterDevice(): boolean;
    isBlockDevice(): boolean;
  }

  export class DirectoryEntry {
    private constructor();
    readonly name: string;
    readonly kind: Kind;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
  }

  const exported: {
    DirectoryEntry: typeof DirectoryEntry; DiskFileSystem: typeof DiskFileSystem; FileHandle: typeof FileHandle;
    FileStat: typeof FileStat;
  };
  export default exported;
}

declare module 'fino:file/path' {
  export interface PathParts {
    root: string;
    dir: string;
    base: string;
    ext: string;
    name: string;
  }
  export const sep: '/';
  export const delimiter: ':';
  /**
   * @example
   * ```ts
   * import { basename, join } from 'fino:file/path';
   * console.log(join('a', '../b', 'c.txt'), basename('/x/c.txt', '.txt')); // b/c.txt c
   * ```
   */
  export function join(...paths: string[]): string;
  export function resolve(...paths: string[]): string;
  export function relative(from: string, to: string): string;
  export function dirname(path: string): string;
  export function basename(path: string, suffix?: string): string;
  export function extname(path: string): string;
  export function normalize(path: string): string;
  export function parse(path: string): PathParts;
  export function format(parts: Partial<PathParts>): string;
  export function isAbsolute(path: string): boolean;
  export function toFileUrl(path: string): URL;
  export function fromFileUrl(url: string | URL): string;

  const exported: {
    basename: typeof basename; delimiter: typeof delimiter; dirname: typeof dirname; extname: typeof extname;
    format: typeof format; fromFileUrl: typeof fromFileUrl; isAbsolute: typeof isAbsolute; join: typeof join;
    normalize: typeof normalize; parse: typeof parse; relative: typeof relative; resolve: typeof resolve;
    sep: typeof sep; toFileUrl: typeof toFileUrl;
  };
  export default exported;
}
