// Recordings have names; without one, stop ends the one that was started last, and what is not there is an error.
import { isProfiling, startProfiling, stopProfiling } from 'fino:profiler';
import * as profiler from 'fino:profiler';
import { deepEqual, equal, ok, throws } from './assert.mjs';

deepEqual(Object.keys(profiler).sort(),
  ['default', 'isProfiling', 'profile', 'setLabel', 'startProfiling', 'stats', 'stopProfiling',
  'withLabels']);
equal(profiler.default.startProfiling, startProfiling);

equal(isProfiling(), false);
throws(() => stopProfiling(), /nothing is being recorded/);
throws(() => stopProfiling('a'), /no recording 'a'/);

equal(startProfiling('a'), undefined);
ok(isProfiling('a') && isProfiling());
equal(isProfiling('b'), false);
throws(() => startProfiling('a'), /a recording 'a' already/);
throws(() => stopProfiling('b'), /no recording 'b'/);
ok(isProfiling('a'), 'a stop of another name leaves it alone');
const bytes = stopProfiling('a');
ok(bytes instanceof Uint8Array && bytes[0] === 0x1f && bytes[1] === 0x8b, 'gzip');
equal(bytes.byteLength, bytes.buffer.byteLength);
throws(() => stopProfiling('a'), /no recording 'a'/);

// The last one started is the first to go, named or not.
startProfiling('first');
startProfiling();
startProfiling('last');
stopProfiling();
ok(!isProfiling('last') && isProfiling('first'));
stopProfiling();
ok(isProfiling('first'));
stopProfiling();
ok(!isProfiling('first') && !isProfiling());
throws(() => stopProfiling(), /nothing is being recorded/);

// A name may be used again, and is any string that is not empty.
for (const name of ['a', 'a', 'h\u00e9 \u{1f600}', 'x\0y', ' ', 'x'.repeat(10000)]) {
  startProfiling(name);
  ok(isProfiling(name));
  stopProfiling(name);
}
startProfiling('x\0y');
equal(isProfiling('x'), false);
equal(isProfiling('x\0z'), false);
stopProfiling();
for (const bad of ['', 1, null, {}, Symbol.iterator]) {
  for (const call of [startProfiling, stopProfiling, isProfiling, profiler.stats]) throws(() => call(bad), TypeError);
}
