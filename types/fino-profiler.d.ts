// The module fino:profiler.

declare module 'fino:profiler' {
  export interface RecordingOptions {
    /** Of CPU time between two samples: 0.1 to 100 milliseconds, or text such as '500us' or '2ms'. While recordings
     * overlap, the shortest applies to all; that changes how fine they are, not what they say. */
    interval?: number | `${number}us` | `${number}ms`;
  }

  /** What a recording saw so far. */
  export interface Stats {
    samples: number;
    /** CPU time of all threads, in nanoseconds, as are all `...Ns`. */
    cpuNs: number;
    wallNs: number;
    /** Stacks that reach the start of their thread. */
    complete: number;
    /** Stacks that do not, in all, and by reason. */
    truncated: number;
    truncatedDepth: number;
    truncatedNoCfi: number;
    truncatedBadFrame: number;
    truncatedManaged: number;
    truncatedNoStack: number;
    /** Samples that were lost; their CPU time is in the thread's next one. */
    lostRingFull: number;
    lostNoThread: number;
    /** Sampling points that went into the next sample because the signal came late. */
    merged: number;
    /** Frames of JavaScript that got no name. */
    unresolvedFrames: number;
    /** Part of `cpuNs`: of threads that ended before their first sample. */
    unsampledNs: number;
    /** Signals handled, with or without a sample, and the time that took. */
    signals: number;
    handlerNsP50: number;
    handlerNsP99: number;
    handlerNsTotal: number;
    /** CPU time spent on turning samples into stacks. */
    foldNs: number;
  }

  /**
   * Starts a recording of the whole process: every thread, JavaScript and native code. Any number may run at once,
   * nested or overlapping, also beside `fino run --profile`. Throws if there is one of that name already.
   *
   * @example
   * ```ts
   * import { DiskFileSystem } from 'fino:file';
   * import { startProfiling, stopProfiling } from 'fino:profiler';
   * startProfiling('sum', { interval: '500us' });
   * let sum = 0;
   * for (let i = 0; i < 1e6; i++) sum += Math.sqrt(i);
   * await new DiskFileSystem().writeFile('sum.pb', stopProfiling('sum')); // for go tool pprof sum.pb
   * ```
   */
  export function startProfiling(name?: string, options?: RecordingOptions): void;

  /**
   * Stops the recording of that name, or else the one that was started last, and returns it as gzipped pprof: what
   * `go tool pprof` reads. Throws if there is none.
   */
  export function stopProfiling(name?: string): Uint8Array;

  export type LabelValue = string | number | boolean;

  /**
   * Calls a function whose samples, and those of all that continues it (after `await`, in timers, immediates and
   * microtasks that it sets), carry the labels beside those that apply already: at most 8 at once. `go tool pprof -tags`
   * and `-tagfocus` read them. Returns what the function returns. Labels are for what has few values, such as a route:
   * more than 65,536 different sets are refused.
   *
   * @example
   * ```ts
   * import { profile, withLabels } from 'fino:profiler';
   * function work() { for (const end = Date.now() + 50; Date.now() < end;); }
   * const pprof = await profile(async () => {
   *   withLabels({ route: '/users' }, work);
   *   await withLabels({ route: '/orders' }, async () => {
   *     await null;
   *     work(); // labelled, too
   *   });
   * });
   * console.log(pprof[0] === 0x1f && pprof[1] === 0x8b); // true
   * ```
   */
  export function withLabels<Result>(labels: Record<string, LabelValue>, work: () => Result): Result;

  /** The same from here on, for the rest of the callback that runs and what continues it. */
  export function setLabel(key: string, value: LabelValue): void;

  /** Is there a recording of that name, or any that stopProfiling() could stop? */
  export function isProfiling(name?: string): boolean;

  /**
   * Records while a function runs and what it returns settles, or for so many milliseconds. No other call can stop
   * this recording. If the function throws or rejects, so does this.
   */
  export function profile(work: (() => unknown) | number, options?: RecordingOptions): Promise<Uint8Array>;

  /**
   * What the recording of that name saw so far; without a name, the one that was started last, or else that of
   * `fino run --profile`, or null if there is none either.
   */
  export function stats(name: string): Stats;
  export function stats(): Stats | null;

  const exported: {
    isProfiling: typeof isProfiling; profile: typeof profile; setLabel: typeof setLabel;
    startProfiling: typeof startProfiling; stats: typeof stats; stopProfiling: typeof stopProfiling;
    withLabels: typeof withLabels;
  };
  export default exported;
}
