// Objects: nesting depth, keys, accessors, classes, prototypes.
import { equal, inspect } from './assert.mjs';

equal(inspect({}), '{}');
equal(inspect({ a: 1, 'b-c': 'x', 3: [] }), "{ '3': [], a: 1, 'b-c': 'x' }");
equal(inspect({ [Symbol('s')]: 1 }), '{ [Symbol(s)]: 1 }');
equal(inspect({ a: { b: { c: { d: 1 } } } }), '{ a: { b: { c: [Object] } } }');
equal(inspect({ a: { b: { c: {} } } }), '{ a: { b: { c: {} } } }');
equal(inspect({ a: { b: { c: { d: 1 } } } }, { depth: null }), '{\n  a: { b: { c: { d: 1 } } }\n}');
equal(inspect({ get a() { throw new Error('called'); }, set a(v) {}, get b() { return 1; }, set c(v) {} }),
  '{ a: [Getter/Setter], b: [Getter], c: [Setter] }');
equal(inspect(Object.create(null)), '[Object: null prototype] {}');
equal(inspect(new (class Point { x = 1; #hidden = 2; })()), 'Point { x: 1 }');
equal(inspect(new (class Foo extends Map {})([[1, 2]])), 'Foo(1) [Map] { 1 => 2 }');
equal(inspect(new (class Foo { get [Symbol.toStringTag]() { return 'bar'; } })()), 'Foo [bar] {}');
equal(inspect(class A {}), '[class A]');
equal(inspect(class A extends Map { static x = 1; }), '[class A extends Map] { x: 1 }');
equal(inspect(function named() {}), '[Function: named]');
equal(inspect(async () => {}), '[AsyncFunction (anonymous)]');
equal(inspect({ class() {} }), '{ class: [Function: class] }');
equal(inspect(Object.defineProperty({}, 'hidden', { value: 1 })), '{}');
equal(inspect(Object.defineProperty({}, 'hidden', { value: 1 }), { showHidden: true }), '{ [hidden]: 1 }');
equal(inspect({ name: 'a'.repeat(40), other: 'b'.repeat(40) }),
  `{\n  name: '${'a'.repeat(40)}',\n  other: '${'b'.repeat(40)}'\n}`);
