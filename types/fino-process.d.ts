// The module fino:process.

declare module 'fino:process' {
  type SignalName = `SIG${string}`;

  interface CpuUsage {
    /** Microseconds. */
    user: number;
    system: number;
  }

  interface MemoryUsage {
    /** Bytes; so are all the others. */
    rss: number;
    heapTotal: number;
    heapUsed: number;
    external: number;
    arrayBuffers: number;
  }

  interface Output {
    readonly fd: number;
    readonly isTTY: boolean;
    /** The terminal's width, or undefined when it is none. */
    readonly columns: number | undefined;
    /** Writes all of it before it returns. */
    write(data: string | ArrayBufferView): true;
  }

  interface Input extends AsyncIterable<Uint8Array> {
    readonly fd: 0;
    readonly isTTY: boolean;
    /** The next bytes, or null at the end. */
    read(): Promise<Uint8Array | null>;
    /** All that is left, as bytes or as UTF-8 text. */
    bytes(): Promise<Uint8Array>;
    text(): Promise<string>;
  }

  interface Listeners {
    exit: (code: number) => void;
    beforeExit: (code: number) => void;
    uncaughtException: (error: unknown) => void;
    unhandledRejection: (reason: unknown, promise: Promise<unknown>) => void;
  }
  type Listener<Name> = Name extends keyof Listeners ? Listeners[Name] : (name: SignalName, number: number) => void;

  /**
   * What follows the script on the command line.
   *
   * @example
   * ```ts
   * import { args, env, exit, on } from 'fino:process';
   * console.log(args.length, typeof env.PATH); // 0 string
   * on('SIGTERM', () => exit(0)); // keeps nothing alive
   * ```
   */
  export const args: string[];
  export const arch: string;
  export const platform: string;
  export const version: string;
  export const versions: { readonly fino: string; readonly v8: string };
  export const execPath: string;
  export const scriptPath: string;
  export const pid: number;
  export const ppid: number;
  /** The environment: setting a property sets the variable, deleting it unsets it. */
  export const env: { [name: string]: string | undefined };
  export const stdin: Input;
  export const stdout: Output;
  export const stderr: Output;

  export function cwd(): string;
  export function chdir(directory: string): void;
  /** Runs the listeners of 'exit', writes profiles, and ends the process. */
  export function exit(code?: number | string | null): never;
  export function kill(pid: number, signal?: SignalName | number): true;

  export function on<Name extends keyof Listeners | SignalName>(name: Name, listener: Listener<Name>): Process;
  export function once<Name extends keyof Listeners | SignalName>(name: Name, listener: Listener<Name>): Process;
  export function off<Name extends keyof Listeners | SignalName>(name: Name, listener: Listener<Name>): Process;

  /** Of the process, or since an earlier result. */
  export function cpuUsage(previous?: CpuUsage): CpuUsage;
  /** Of this Realm, on whatever threads it ran; only the sum of user and system means something. */
  export function threadCpuUsage(previous?: CpuUsage): CpuUsage;
  export function memoryUsage(): MemoryUsage;
  /** Seconds since the start. */
  export function uptime(): number;
  export const hrtime: {
    /** Seconds and nanoseconds since the start, or since an earlier result. */
    (previous?: [number, number]): [number, number];
    bigint(): bigint;
  };

  type Process = typeof import('fino:process') & {
    /** The code to exit with when the script ends by itself. */
    exitCode: number | string | null | undefined;
  };

  const process: Process;
  export default process;
}
