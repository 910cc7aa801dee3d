// A cycle is marked where it closes and where it leads to.
import { equal, inspect } from './assert.mjs';

const self = { name: 'x' };
self.self = self;
equal(inspect(self), "<ref *1> { name: 'x', self: [Circular *1] }");

const outer = { inner: {} };
outer.inner.outer = outer;
outer.inner.inner = outer.inner;
equal(inspect(outer), '<ref *1> {\n  inner: <ref *2> { outer: [Circular *1], inner: [Circular *2] }\n}');

const map = new Map();
map.set('map', map);
equal(inspect(map), "<ref *1> Map(1) { 'map' => [Circular *1] }");

// The same object twice is no cycle.
const shared = { a: 1 };
equal(inspect([shared, shared]), '[ { a: 1 }, { a: 1 } ]');
