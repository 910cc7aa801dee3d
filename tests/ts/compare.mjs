// compare.mjs: are two ESTree programs the same program? And does each name stand where it stood?

const ignored = new Set(['start', 'end', 'loc', 'raw', 'range', 'sourceType', 'directive']);

// `export {}` only marks a module, and TypeScript adds and drops it as it sees fit.
function counts(node) {
  if (node?.type === 'EmptyStatement') return false;
  return !(node?.type === 'ExportNamedDeclaration' && !node.declaration && !node.source && node.specifiers.length === 0);
}

function literal(node) {
  if (node.regex) return `/${node.regex.pattern}/${node.regex.flags}`;
  if (node.bigint) return `${node.bigint}n`;
  return node.value;
}

const show = (node) =>
  node && typeof node === 'object' ? (Array.isArray(node) ? `[${node.length}]` : `${node.type}${node.name ? ' ' + node.name : ''}`) : String(node);

// (a?.b)?.c is a?.b?.c.
function withoutChainInside(node) {
  const key = node.type === 'CallExpression' ? 'callee' : 'object';
  return node[key]?.type === 'ChainExpression' ? { ...node, [key]: node[key].expression } : node;
}

// Returns null, or what differs first.
export function compareTrees(a, b, where = '') {
  if (Array.isArray(a) && Array.isArray(b)) {
    const left = a.filter(counts), right = b.filter(counts);
    for (let i = 0; i < Math.max(left.length, right.length); i++) {
      if (i >= left.length || i >= right.length) {
        const extra = i < left.length ? ['extra', left[i]] : ['missing', right[i]];
        return `${extra[0]} ${show(extra[1])} at line ${extra[1]?.loc?.start.line} (${where}[${i}])`;
      }
      const difference = compareTrees(left[i], right[i], `${where}[${i}]`);
      if (difference) return difference;
    }
    return null;
  }
  if (a && b && typeof a === 'object' && typeof b === 'object' && !Array.isArray(a) && !Array.isArray(b)) {
    if (a.optional && b.optional) [a, b] = [a, b].map(withoutChainInside);
    if (a.type !== b.type) return `${show(a)} is not ${show(b)} at line ${a.loc?.start.line} (${where})`;
    if (a.type === 'Literal') return literal(a) === literal(b) ? null : `${literal(a)} is not ${literal(b)} at line ${a.loc.start.line}`;
    if (a.type === 'TemplateElement') return a.value.cooked === b.value.cooked ? null : `templates differ at line ${a.loc.start.line}`;
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (ignored.has(key)) continue;
      const difference = compareTrees(a[key], b[key], `${where}.${key}`);
      if (difference) return difference.includes(' at line ') ? difference : `${difference} at line ${a.loc?.start.line}`;
    }
    return null;
  }
  return a === b ? null : `${show(a)} is not ${show(b)} (${where})`;
}

const isFunction = (node) => /^(Function|Class|ArrowFunction)/.test(node.type);

// Returns the names of functions, classes and methods in TREE that do not stand at their place in SOURCE.
export function checkPositions(tree, source) {
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/);
  const moved = [];
  const check = (node) => {
    const { line, column } = node.loc.start;
    const name = node.type === 'PrivateIdentifier' ? `#${node.name}` : node.name;
    if (!source.includes(name)) return; // lowering made it
    const text = lines[line - 1]?.slice(column);
    if (text === '') return; // so it did this: it is behind all that the line had
    if (text === undefined || !(text.startsWith(name) || text.includes('\\u'))) moved.push(`${name} at ${line}:${column + 1}`);
  };
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!node || typeof node.type !== 'string') return;
    if (isFunction(node) && node.id) check(node.id);
    const isAccess = node.key?.type === 'PrivateIdentifier' && /[gs]et/.test(node.kind); // maybe to what a decorator made
    if (node.type === 'MethodDefinition' && /Identifier$/.test(node.key.type) && !isAccess) check(node.key);
    if (node.type === 'VariableDeclarator' && node.init && isFunction(node.init) && node.id.type === 'Identifier') check(node.id);
    for (const key of Object.keys(node)) if (!ignored.has(key)) visit(node[key]);
  };
  visit(tree);
  return moved;
}

// Returns the names of functions and classes in TREE, as 'line:column name'.
export function functionNames(tree) {
  const names = new Set();
  const add = ({ type, name, loc }) => names.add(`${loc.start.line}:${loc.start.column + 1} ${type === 'PrivateIdentifier' ? '#' : ''}${name}`);
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!node || typeof node.type !== 'string') return;
    if (isFunction(node) && node.id) add(node.id);
    if (node.type === 'ClassExpression') names.add(`${node.loc.start.line}:${node.loc.start.column + 1} class`);
    if ((node.type === 'MethodDefinition' || node.method || node.kind === 'get' || node.kind === 'set') && /Identifier$/.test(node.key?.type)) add(node.key);
    if (node.type === 'MethodDefinition' && node.computed) names.add(`${node.value.loc.start.line}:${node.value.loc.start.column + 1} (`);
    for (const key of Object.keys(node)) if (!ignored.has(key)) visit(node[key]);
  };
  visit(tree);
  return names;
}

// Is NAME ("line:column name") among NAMES, or the class that SOURCE gives that name there? A class whose decorators are
// lowered gets its name otherwise, but stands where it was. So does a private method: its parameters start at their place,
// which is the place that V8 knows a method by.
export function isInPlace(name, names, source) {
  if (names.has(name)) return true;
  const [, line, column, text] = /^(\d+):(\d+) (.*)/.exec(name);
  if (text.startsWith('#') && names.has(`${line}:${Number(column) + text.length} (`)) return true;
  const keyword = /\bclass\s+$/.exec(source.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1].slice(0, column - 1));
  return keyword !== null && names.has(`${line}:${keyword.index + 1} class`);
}

// What JSX brings along stands for the same in both, whatever it is called and wherever it stands: its imports run before
// all else, so they become the last; names lose the number that keeps them apart from the file's own; a key that fino
// evaluates where it stands goes where TypeScript puts it; `{...{a: b}}`, which TypeScript flattens, is flat; and an import
// of React that nothing uses goes, which transpileModule keeps as it can't see that there is a jsx-runtime.
export function unifyJsx(tree) {
  const isHelper = (node) => node.type === 'FunctionDeclaration' && node.id?.name === '_jsxKeyed';
  const isImport = (node) => node.type === 'ImportDeclaration' && node.specifiers.length > 0 && node.specifiers.every(({ local }) => /^_(jsxs?|jsxDEV|Fragment|createElement)$/.test(local.name));
  let uses = 0;
  const visit = (node) => {
    if (!node || typeof node !== 'object') return;
    for (const key of Object.keys(node)) visit(node[key]);
    if (node.type === 'Identifier' && node.name === 'React') uses++;
    if (node.type === 'Identifier') node.name = node.name.replace(/^(_(?:jsxs?|jsxDEV|jsxKeyed|Fragment|createElement))_\d+$/, '$1');
    if (node.type === 'CallExpression' && node.callee.name === '_jsxKeyed') {
      const [callee, type, before, key, after, ...rest] = node.arguments;
      Object.assign(node, { callee, arguments: [type, { ...before, properties: [...before.properties, ...after.properties] }, key, ...rest] });
    }
    if (node.type === 'ObjectExpression') node.properties = node.properties.flatMap((p) => (p.argument?.type === 'ObjectExpression' ? p.argument.properties : [p]));
  };
  visit(tree);
  const dropsReact = (node) => {
    const kept = node.specifiers.filter(({ type, local }) => type === 'ImportSpecifier' || local.name !== 'React');
    if (uses !== 1 || node.source.value !== 'react' || kept.length === node.specifiers.length) return false;
    node.specifiers = kept;
    return kept.length === 0;
  };
  tree.body = tree.body.filter((node) => node.type !== 'ImportDeclaration' || !dropsReact(node));
  const imports = tree.body.filter(isImport).sort((a, b) => (a.source.value < b.source.value ? -1 : 1));
  for (const { specifiers } of imports) specifiers.sort((a, b) => (a.local.name < b.local.name ? -1 : 1));
  tree.body = [...tree.body.filter((node) => !isImport(node) && !isHelper(node)), ...imports];
  return tree;
}

// Drops exports of names that TREE does not have: what is left of a type's export, and would not even load.
export function dropExportsOfNothing(tree) {
  const names = new Set();
  const add = (pattern) => {
    if (!pattern) return;
    if (pattern.type === 'Identifier') names.add(pattern.name);
    else for (const child of pattern.properties ?? pattern.elements ?? [pattern.value ?? pattern.argument ?? pattern.left]) add(child?.value ?? child?.argument ?? child?.left ?? child);
  };
  for (const statement of tree.body) {
    const node = statement.declaration ?? statement;
    add(node.id);
    for (const declarator of node.declarations ?? []) add(declarator.id);
    if (node.type === 'ImportDeclaration') for (const specifier of node.specifiers) add(specifier.local);
  }
  let dropped = 0;
  tree.body = tree.body.filter((node) => {
    if (node.type === 'ExportDefaultDeclaration' && node.declaration.type === 'Identifier' && !names.has(node.declaration.name)) return (dropped++, false);
    if (node.type !== 'ExportNamedDeclaration' || node.source || node.declaration) return true;
    const kept = node.specifiers.filter((specifier) => names.has(specifier.local.name));
    dropped += node.specifiers.length - kept.length;
    node.specifiers = kept;
    return true;
  });
  return dropped;
}
