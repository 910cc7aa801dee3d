import _, { chunk, debounce, groupBy, merge, sortBy, template } from 'lodash-es';
const people = [{ name: 'b', age: 3 }, { name: 'a', age: 3 }, { name: 'c', age: 1 }];
console.log(sortBy(people, ['age', 'name']), groupBy(people, 'age'), chunk([1, 2, 3, 4, 5], 2));
console.log(merge({ a: [{ b: 1 }] }, { a: [{ c: 2 }] }), template('<%= a %> & <%- b %>')({ a: 1, b: '<' }));
console.log(_.chain([3, 1, 2]).map((x) => x * 2).sort().value(), _.camelCase('some text-here'), typeof debounce(() => {}, 1));
console.log(_.cloneDeep(new Map([[{ a: 1 }, new Set([1])]])), _.isEqual({ a: [1] }, { a: [1] }), _.VERSION);
