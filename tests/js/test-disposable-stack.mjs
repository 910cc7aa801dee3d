// DisposableStack and AsyncDisposableStack: in reverse order, once, with every error told; and iterators, which dispose of
// themselves by returning. (Test262's tests of them pass, but for descriptors of globals that nobody has read yet.)
import { deepEqual, equal, ok, rejects, throws } from './assert.mjs';

const log = [];
const say = (what) => () => { log.push(what); };
const take = () => log.splice(0);

// In reverse order, once.
const stack = new DisposableStack();
const resource = { name: 'used', [Symbol.dispose]() { log.push(this.name); } };
equal(stack.use(resource), resource);
equal(stack.use(null), null);
equal(stack.adopt('value', (value) => log.push(`adopted ${value}`)), 'value');
equal(stack.defer(say('deferred')), undefined);
equal(stack.disposed, false);
stack.dispose();
stack[Symbol.dispose]();
deepEqual(take(), ['deferred', 'adopted value', 'used']);
equal(stack.disposed, true);
for (const add of [() => stack.use(null), () => stack.adopt(1, say('no')), () => stack.defer(say('no')), () => stack.move()]) {
  throws(add, ReferenceError);
}

// What is moved is disposed of by the other stack alone.
const first = new DisposableStack();
first.defer(say('moved'));
const second = first.move();
ok(first.disposed && !second.disposed);
first.dispose();
deepEqual(take(), []);
second.dispose();
deepEqual(take(), ['moved']);

// What is no resource is refused when it comes, and the stack stays as it was.
const strict = new DisposableStack();
for (const wrong of [1, 'text', {}, { [Symbol.dispose]: 1 }, { [Symbol.asyncDispose]() {} }]) throws(() => strict.use(wrong), TypeError);
throws(() => strict.adopt({}), TypeError);
throws(() => strict.defer(), TypeError);
throws(() => DisposableStack(), TypeError);
throws(() => DisposableStack.prototype.dispose.call({}), /not a DisposableStack/);
throws(() => Reflect.get(DisposableStack.prototype, 'disposed'), TypeError);
equal(strict.disposed, false);
equal(Object.prototype.toString.call(strict), '[object DisposableStack]');
ok(new (class extends DisposableStack {})().move().constructor === DisposableStack);

// All run, whatever they throw; each error has the one before it.
const failing = new DisposableStack();
for (const number of [1, 2, 3]) failing.defer(() => { throw number; });
const error = throws(() => failing.dispose(), SuppressedError);
deepEqual([error.error, error.suppressed.error, error.suppressed.suppressed], [1, 2, 3]);
const alone = new DisposableStack();
alone.defer(() => { throw undefined; });
let thrown = 'nothing';
try { alone.dispose(); } catch (value) { thrown = value; }
equal(thrown, undefined);

// The asynchronous one waits for each before it goes on to the next.
const later = new AsyncDisposableStack();
later.use({ async [Symbol.asyncDispose]() { log.push('begun'); await null; log.push('done'); } });
later.use({ [Symbol.dispose]() { log.push('dispose'); return new Promise(() => {}); } });
later.use({ [Symbol.asyncDispose]: null, [Symbol.dispose]: say('no asyncDispose') });
later.use(undefined);
later.adopt('value', async (value) => { await null; log.push(value); });
later.defer(async () => { await null; log.push('deferred'); });
const end = later.disposeAsync();
equal(later.disposed, true);
await later[Symbol.asyncDispose]();
await end;
deepEqual(take(), ['deferred', 'value', 'no asyncDispose', 'dispose', 'begun', 'done']);
throws(() => later.use(null), ReferenceError);
throws(() => new AsyncDisposableStack().use({}), TypeError);
await rejects(AsyncDisposableStack.prototype.disposeAsync.call({}), TypeError);

const broken = new AsyncDisposableStack();
broken.use({ [Symbol.dispose]() { throw 1; } });
broken.defer(() => Promise.reject(2));
const both = await rejects(broken.move().disposeAsync(), SuppressedError);
deepEqual([both.error, both.suppressed], [1, 2]);

// An error like any other: called or constructed, with what it was given, and no more.
const made = SuppressedError(1, 2, 3);
ok(made instanceof SuppressedError && made instanceof Error && Object.getPrototypeOf(SuppressedError) === Error);
deepEqual([made.error, made.suppressed, made.message, made.name, Object.keys(made)], [1, 2, '3', 'SuppressedError', []]);
equal(Object.hasOwn(new SuppressedError(), 'message'), false);
equal(SuppressedError.length, 3);
ok(/^SuppressedError: 3\n +at .*test-disposable-stack/.test(made.stack), made.stack);

// Iterators.
function* numbers() { try { yield 1; yield 2; } finally { log.push('returned'); } }
const generator = numbers();
generator.next();
generator[Symbol.dispose]();
deepEqual(take(), ['returned']);
equal([][Symbol.iterator]()[Symbol.dispose](), undefined);
async function* numbersLater() { try { yield 1; } finally { await null; log.push('returned later'); } }
const laterGenerator = numbersLater();
await laterGenerator.next();
equal(await laterGenerator[Symbol.asyncDispose](), undefined);
deepEqual(take(), ['returned later']);
