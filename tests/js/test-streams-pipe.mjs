// Readable, transform and writable streams together: every chunk once and in order, ends and errors told to the other side.
import { deepEqual, equal, rejects } from './assert.mjs';

const log = [];
const sink = () => new WritableStream({
  write(chunk) { log.push(chunk); }, close() { log.push('close'); }, abort(reason) { log.push(`abort ${reason}`); },
});
const twice = () => new TransformStream({ transform(chunk, controller) { controller.enqueue(chunk); controller.enqueue(chunk); } });
await ReadableStream.from([1, 2]).pipeThrough(twice()).pipeTo(sink());
deepEqual(log.splice(0), [1, 1, 2, 2, 'close']);
const failing = new ReadableStream({ start(controller) { controller.error('broken'); } });
equal(await failing.pipeTo(sink()).catch((error) => error), 'broken');
deepEqual(log.splice(0), ['abort broken']);
await rejects(ReadableStream.from([1]).pipeTo(sink(), { signal: AbortSignal.abort(new TypeError('no')) }), TypeError);
log.length = 0;
// Both sides are told of an abort, and the first that fails is what the pipe fails with; its error, which came before the
// other side was done, used to count as one that nobody handles.
const controller = new AbortController();
const cancelFails = new ReadableStream({ cancel() { throw new RangeError('cancel'); } });
const abortsLater = new WritableStream({ abort: () => new Promise((resolve) => setTimeout(resolve, 5)) });
const cut = cancelFails.pipeTo(abortsLater, { signal: controller.signal });
controller.abort();
await rejects(cut, RangeError);
const bytes = ReadableStream.from(['gr\u00fc', '\ud83d', '\ude00']).pipeThrough(new TextEncoderStream());
let text = '';
for await (const part of bytes.pipeThrough(new TextDecoderStream())) text += part;
equal(text, 'gr\u00fc\u{1f600}');
