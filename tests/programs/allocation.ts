// Makes far more objects than it keeps: short-lived trees for the young generation, a map that keeps changing for the old.
interface Tree {
  left: Tree | null;
  right: Tree | null;
}

function grow(depth: number): Tree {
  if (depth === 0) return { left: null, right: null };
  return { left: grow(depth - 1), right: grow(depth - 1) };
}

function size(tree: Tree): number {
  return tree.left === null || tree.right === null ? 1 : 1 + size(tree.left) + size(tree.right);
}

class Cache {
  private readonly entries: Map<string, number[]> = new Map();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  put(id: number, value: number[]): void {
    this.entries.set(`entry ${id}`, value);
    this.entries.delete(`entry ${id - this.limit}`);
  }

  total(): number {
    let sum = 0;
    for (const value of this.entries.values()) sum += value.length;
    return sum;
  }
}

function fill(cache: Cache, rounds: number): void {
  for (let i = 0; i < rounds; i++) {
    const value: number[] = [];
    for (let j = 0; j < 20; j++) value.push(i * j);
    cache.put(i, value);
  }
}

const kept: Tree = grow(18);
let nodes = 0;
for (let round = 0; round < 60; round++) nodes += size(grow(15));
const cache = new Cache(100_000);
fill(cache, 800_000);
console.log(size(kept), nodes, cache.total());
