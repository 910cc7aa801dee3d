// corpus.mjs: the TypeScript files of the npm packages in build/npm, each content once, in an order that mixes packages
// and is the same everywhere.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

function* walk(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const full = path.join(directory, entry.name);
    if (entry.isDirectory()) yield* walk(full);
    else if (/\.[cm]?tsx?$/.test(entry.name)) yield full;
  }
}

// Returns [{ file, nbytes }], sorted by a hash of what is in them. PACKAGES: only of these, all if empty.
export function corpus(root, packages = []) {
  const byHash = new Map();
  for (const directory of packages.length > 0 ? packages.map((name) => path.join(root, name)) : [root]) {
    for (const file of [...walk(directory)].sort()) {
      const source = fs.readFileSync(file);
      const hash = crypto.createHash('sha256').update(source).digest('hex');
      if (!byHash.has(hash)) byHash.set(hash, { file, nbytes: source.length });
    }
  }
  return [...byHash.keys()].sort().map((hash) => byHash.get(hash));
}
