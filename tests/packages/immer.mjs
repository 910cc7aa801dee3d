import { current, enableMapSet, enablePatches, original, produce, produceWithPatches } from 'immer';
enableMapSet();
enablePatches();
const base = { list: [{ n: 1 }, { n: 2 }], map: new Map([['a', { b: 1 }]]) };
const next = produce(base, (draft) => { draft.list[0].n++; draft.list.push({ n: 3 }); draft.map.get('a').b = 2; console.log(current(draft.list), original(draft.list) === base.list); });
console.log(next, base, next.list[1] === base.list[1], Object.isFrozen(next));
console.log(produceWithPatches({ a: [1, 2] }, (draft) => { draft.a.shift(); draft.b = 1; }));
