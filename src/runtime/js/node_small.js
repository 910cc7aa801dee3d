// Node's modules that are a few words about what fino has: node:os, node:perf_hooks, node:timers, node:tty.
'use strict';

const { Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, performance } = internal;
const { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = internal;

internal.nodeOsModule = internal.nodeModule({
  EOL: '\n',
  arch: () => native.arch,
  availableParallelism: () => native.hardwareConcurrency,
  devNull: '/dev/null',
  endianness: () => 'LE',
  homedir: () => native.envGet('HOME') ?? '/',
  platform: () => native.platform,
  tmpdir: () => native.envGet('TMPDIR') ?? '/tmp',
  type: () => 'Linux',
});

internal.nodePerformanceModule = internal.nodeModule({
  Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, performance,
});

internal.nodeTimersModule = internal.nodeModule({
  clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout,
});

internal.nodeTtyModule = internal.nodeModule({ isatty: (fd) => native.isatty(fd) });
