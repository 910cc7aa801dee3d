// Where standard decorators are evaluated, by the proposal: what TypeScript's own lowering gets wrong.
import { deepEqual, equal, throws } from './assert.mjs';

const log: string[] = [];
const d = (label: string): any => {
  log.push(`evaluate ${label}`);
  return (_: unknown, context: any) => void log.push(`call ${context.kind} ${String(context.name)}`);
};

class Base { hello() { return 'hello'; } }
class Private extends Base {
  @d('private with super') #m() { return super.hello(); }
  m() { return this.#m(); }
}
equal(new Private().m(), 'hello');

// Decorators and computed names in the order of the text, in the scope around the class.
log.length = 0;
function scope(this: any) {
  const outer = this;
  class Ordered {
    @d(`1 ${this === outer}`) [(log.push('2'), 'a')]() {}
    @d('3') static [(log.push('4'), 'b')] = log.push('value b');
    @d('5') #c = 0;
    @d('6') accessor [(log.push('7'), 'd')] = 0;
    @d('8') static async *[Symbol.for('e')]() {}
  }
  return Ordered;
}
scope.call({});
deepEqual(log, ['evaluate 1 true', '2', 'evaluate 3', '4', 'evaluate 5', 'evaluate 6', '7', 'evaluate 8', 'call method Symbol(e)',
  'call method a', 'call accessor d', 'call field b', 'call field #c', 'value b']);

// A class in a decorator of another, and one that throws half way, do not disturb each other.
log.length = 0;
class Outer {
  @d('outer a') a() {}
  @(class { @d('inner') static x() {} static dec = d('dec'); }.dec) b() {}
  @d('outer c') c() {}
}
deepEqual(log, ['evaluate outer a', 'evaluate inner', 'call method x', 'evaluate dec', 'evaluate outer c', 'call method a', 'call method b', 'call method c']);
throws(() => { class Half { @d('half') a() {} [(() => { throw new Error('key'); })()]() {} } }, Error);
log.length = 0;
class After { @d('after') a() {} }
deepEqual([log, Object.getOwnPropertyNames(After.prototype)], [['evaluate after', 'call method a'], ['constructor', 'a']]);

// Each evaluation of a class has its own.
const many = [1, 2, 3].map((n) => class { @((_: unknown, __: unknown) => (v: number) => v * n) x = 10; });
deepEqual(many.map((C) => new C().x), [10, 20, 30]);

// Private members that were there for decorators only leave no trace.
class Clean { @d('f') #f = 1; @d('m') static #m() {} @d('a') accessor #a = 2; see() { return [this.#f, this.#a, Clean.#m]; } }
deepEqual([Reflect.ownKeys(Clean.prototype), Reflect.ownKeys(Clean), Reflect.ownKeys(new Clean())], [['constructor', 'see'], ['length', 'name', 'prototype'], []]);

// Static accessors of classes without a name
const Anonymous = class { static accessor x = 1; @d('y') static accessor y = 2; };
Anonymous.x += 10;
Anonymous.y += 10;
deepEqual([Anonymous.x, Anonymous.y, Anonymous.name], [11, 12, 'Anonymous']);

// context.metadata, where Symbol.metadata is there
(Symbol as any).metadata ??= Symbol('Symbol.metadata');
const meta = (value: unknown, context: any) => { (context.metadata.seen ??= []).push(context.name); };
@meta class Meta { @meta a = 1; @meta b() {} }
class Sub extends Meta { @meta c = 1; }
deepEqual((Meta as any)[(Symbol as any).metadata].seen, ['b', 'a', 'Meta', 'c']);
equal(Object.getPrototypeOf((Sub as any)[(Symbol as any).metadata]), (Meta as any)[(Symbol as any).metadata]);
