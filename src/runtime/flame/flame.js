// The flame graph: everything the page does. Its data is in the element `data`, in the form that report_flame.c writes.
//
// A tree of calls is a few arrays, indexed by node; a node's parent comes before it. Nothing is laid out in advance: a
// drawing goes down from the node that is zoomed to and leaves out what is narrower than a pixel, so its cost is
// the screen's size and not the profile's. Names come from foreign programs: they are drawn or set as text, never
// parsed, and are keys of maps, never of objects.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const element = (id) => document.getElementById(id);
const rowHeight = 18, narrowest = 0.8, fontSize = 12;
const kinds = [
  // name, hue, saturation
  ['JavaScript', 42, 85], ['V8 and native', 8, 75], ['garbage collection', 285, 45], ['compilation', 205, 55],
  ['system calls', 150, 45],
];
const root = document.documentElement, canvas = document.querySelector('canvas'), context = canvas.getContext('2d');
const graph = element('graph');

// ---- Numbers ----

const scales = {
  __proto__: null, nanoseconds: [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]],
  bytes: [['GB', 2 ** 30], ['MB', 2 ** 20], ['kB', 2 ** 10], ['B', 1]],
};
function amount(value) {
  const units = scales[data.unit];
  if (!units) return `${value} ${data.unit}`;
  const [unit, factor] = units.find(([, size]) => Math.abs(value) >= size) ?? units[units.length - 1];
  return `${(value / factor).toFixed(factor === 1 ? 0 : 2)} ${unit}`;
}
const share = (value, of) => `${(of ? (100 * value) / of : 0).toFixed(2)} %`;

// ---- Trees ----

class Tree {
  // FRAMES and PARENTS by node; node 0 is the root, whose frame is -1. SELF and BASE: what each costs by itself.
  constructor(frames, parents, self, base) {
    const count = frames.length;
    Object.assign(this, { frames, parents, self, base, count, total: Float64Array.from(self), baseTotal: Float64Array.from(base) });
    for (let node = count - 1; node > 0; node--) {
      this.total[parents[node]] += this.total[node];
      this.baseTotal[parents[node]] += this.baseTotal[node];
    }
    // Children of a node are next to one another in `children`, from starts[node] to starts[node + 1].
    this.starts = new Uint32Array(count + 2);
    for (let node = 1; node < count; node++) this.starts[parents[node] + 2]++;
    for (let node = 0; node < count; node++) this.starts[node + 2] += this.starts[node + 1];
    this.children = new Uint32Array(count);
    for (let node = 1; node < count; node++) this.children[this.starts[parents[node] + 1]++] = node;
    this.sorted = new Map();
  }

  width(node) { return state.widths === 'base' ? this.baseTotal[node] : this.total[node]; }

  childrenOf(node) {
    let list = this.sorted.get(node);
    if (list) return list;
    list = this.children.subarray(this.starts[node], this.starts[node + 1]);
    const byName = (a, b) => (nameOf(this.frames[a]) < nameOf(this.frames[b]) ? -1 : 1);
    list.sort(state.order === 'name' ? byName : (a, b) => this.width(b) - this.width(a));
    this.sorted.set(node, list);
    return list;
  }

  pathOf(node) {
    const path = [];
    for (; node > 0; node = this.parents[node]) path.push(this.frames[node]);
    return path.reverse();
  }

  find(path) {
    let node = 0;
    for (const frame of path) {
      const next = this.childrenOf(node).find((child) => this.frames[child] === frame);
      if (next === undefined) break;
      node = next;
    }
    return node;
  }
}

const nameOf = (frame) => (frame < 0 ? 'all' : data.names[data.frames[4 * frame]]);
const placeOf = (frame) => {
  if (frame < 0) return '';
  const file = data.names[data.frames[4 * frame + 1]], line = data.frames[4 * frame + 2];
  return file ? file + (line ? `:${line}` : '') : '';
};
const flagsOf = (frame) => (frame < 0 ? 0 : data.frames[4 * frame + 3]);
const kindOf = (frame) => flagsOf(frame) >> 1;
const isInlined = (frame) => (flagsOf(frame) & 1) === 1;

// data.tree: (levels to go up, frame) of each node; the next is a child of the last that remains.
const shape = (() => {
  const count = data.tree.length / 2 + 1, frames = new Int32Array(count), parents = new Uint32Array(count);
  frames[0] = -1;
  for (let node = 1; node < count; node++) {
    let parent = node - 1;
    for (let up = data.tree[2 * node - 2]; up > 0; up--) parent = parents[parent];
    parents[node] = parent;
    frames[node] = data.tree[2 * node - 1];
  }
  return { frames, parents, count };
})();

// data.costs: (nodes to go on, thread, value, base) of each cost.
function treeOf(thread) {
  const self = new Float64Array(shape.count), base = new Float64Array(shape.count);
  for (let i = 0, node = 0; i < data.costs.length; i += 4) {
    node += data.costs[i];
    if (thread >= 0 && data.costs[i + 1] !== thread) continue;
    self[node] += data.costs[i + 2];
    base[node] += data.costs[i + 3];
  }
  return new Tree(shape.frames, shape.parents, self, base);
}

// Adds nodes to a tree that is being made: the child of PARENT for FRAME.
class Builder {
  constructor() { Object.assign(this, { frames: [-1], parents: [0], self: [0], base: [0], index: [new Map()] }); }
  child(parent, frame) {
    let node = this.index[parent].get(frame);
    if (node !== undefined) return node;
    node = this.frames.length;
    this.frames.push(frame);
    this.parents.push(parent);
    this.self.push(0);
    this.base.push(0);
    this.index.push(new Map());
    this.index[parent].set(frame, node);
    return node;
  }
  tree() {
    return new Tree(Int32Array.from(this.frames), Uint32Array.from(this.parents), Float64Array.from(this.self), Float64Array.from(this.base));
  }
}

// Inlined or not, a function is the same one.
const functionOf = (() => {
  const keys = new Map(), ids = new Int32Array(data.frames.length / 4);
  for (let frame = 0; frame < ids.length; frame++) {
    const key = data.frames.slice(4 * frame, 4 * frame + 3).join();
    if (!keys.has(key)) keys.set(key, frame);
    ids[frame] = keys.get(key);
  }
  return (frame) => (frame < 0 ? -1 : ids[frame]);
})();

function callees(tree, wanted) {
  const builder = new Builder(), within = new Int32Array(tree.count).fill(-1);
  for (let node = 1; node < tree.count; node++) {
    const outer = within[tree.parents[node]], found = functionOf(tree.frames[node]) === wanted;
    if (outer < 0 && !found) continue;
    const mine = builder.child(Math.max(outer, 0), functionOf(tree.frames[node]));
    within[node] = mine;
    builder.self[mine] += tree.self[node];
    builder.base[mine] += tree.base[node];
  }
  return builder.tree();
}

function callers(tree, wanted) {
  const builder = new Builder(), inside = new Uint8Array(tree.count);
  for (let node = 1; node < tree.count; node++) {
    const found = functionOf(tree.frames[node]) === wanted;
    inside[node] = inside[tree.parents[node]] || found ? 1 : 0;
    if (!found || inside[tree.parents[node]]) continue; // of a recursion, the outermost
    let mine = 0;
    for (let up = node; up > 0; up = tree.parents[up]) mine = builder.child(mine, functionOf(tree.frames[up]));
    builder.self[mine] += tree.total[node];
    builder.base[mine] += tree.baseTotal[node];
  }
  return builder.tree();
}

// Self and total of each function; within itself it counts once.
function sumFunctions(tree) {
  const sums = new Map(), open = [];
  for (let node = 1; node < tree.count; node++) {
    while (open.length && open[open.length - 1].node !== tree.parents[node]) open.pop().entry.depth--;
    const id = functionOf(tree.frames[node]);
    let entry = sums.get(id);
    if (!entry) sums.set(id, entry = { id, self: 0, total: 0, depth: 0 });
    entry.self += tree.self[node];
    if (entry.depth++ === 0) entry.total += tree.total[node];
    open.push({ node, entry });
  }
  return [...sums.values()];
}

// ---- State: all of it is in the address, so that a view can be shared ----

const defaults = { view: 'flame', thread: '', order: 'heavy', widths: 'new', query: '', zoom: '', function: '', sort: 'self' };
const state = { ...defaults };
let tree, parts = [], boxes = [], selected = null, matcher = null;

function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(defaults)) state[key] = parameters.get(key) ?? defaults[key];
}

function go(change, replaces = false) {
  Object.assign(state, change);
  const parameters = new URLSearchParams();
  for (const key of Object.keys(defaults)) if (state[key] !== defaults[key]) parameters.set(key, state[key]);
  const address = `#${parameters}`;
  if (address !== (location.hash || '#')) history[replaces ? 'replaceState' : 'pushState'](null, '', address);
  update();
}

const framesOf = (text) => (text ? text.split('.').map(Number).filter((frame) => frame >= 0 && frame < data.frames.length / 4) : []);

// ---- Search ----

function makeMatcher(query) {
  if (!query) return null;
  let test = (text) => text.toLowerCase().includes(query.toLowerCase());
  if (query.length > 2 && query.startsWith('/') && query.endsWith('/')) {
    try {
      const expression = new RegExp(query.slice(1, -1), 'i');
      test = (text) => expression.test(text);
    } catch { test = () => false; }
  }
  const known = new Map();
  return (frame) => {
    if (!known.has(frame)) known.set(frame, frame >= 0 && (test(nameOf(frame)) || test(placeOf(frame))));
    return known.get(frame);
  };
}

function showMatched() {
  if (!matcher) { element('matched').textContent = ''; return; }
  let sum = 0;
  const within = new Uint8Array(tree.count);
  for (let node = 1; node < tree.count; node++) {
    const outer = within[tree.parents[node]], found = matcher(tree.frames[node]);
    within[node] = outer || found ? 1 : 0;
    if (found && !outer) sum += tree.width(node);
  }
  element('matched').textContent = `${share(sum, tree.width(0))} matched`;
}

// ---- Drawing ----

// Of a frame, whatever it costs: remembered, as texts of colours are slow to make.
const colours = new Map();
function plainColour(frame, dark) {
  const key = 2 * frame + dark;
  let colour = colours.get(key);
  if (colour) return colour;
  const [, hue, saturation] = kinds[kindOf(frame)], name = nameOf(frame);
  let mix = 0;
  for (let i = 0; i < Math.min(name.length, 64); i++) mix = (mix * 31 + name.charCodeAt(i)) >>> 0;
  colour = `hsl(${hue + (mix % 17) - 8} ${saturation}% ${(dark ? 36 : 68) + ((mix >> 8) % 9)}%)`;
  colours.set(key, colour);
  return colour;
}

function colourOf(part, node, dark) {
  const frame = part.frames[node];
  if (frame < 0) return dark ? '#444' : '#ddd';
  if (!data.hasBase) return plainColour(frame, dark);
  const before = portion(part.baseTotal[node], part.baseTotal[0]), after = portion(part.total[node], part.total[0]);
  const change = Math.max(-1, Math.min(1, (after - before) / Math.max(before, after, 1e-12))), size = Math.abs(change);
  return `hsl(${change > 0 ? 8 : 215} ${Math.round(size * 85)}% ${dark ? 38 : 88 - Math.round(size * 28)}%)`;
}
const portion = (value, of) => (of ? value / of : 0);

// The part of NAME that fits into WIDTH pixels, isolated from the text around it.
function fit(name, width) {
  const room = Math.floor((width - 6) / (fontSize * 0.55));
  if (room < 2) return '';
  const visible = name.slice(0, room + 1).replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');
  return `\u2068${visible.length > room ? `${visible.slice(0, room - 1)}…` : visible}\u2069`;
}

function drawBox(part, node, x, width, y) {
  const frame = part.frames[node], dims = matcher !== null && !matcher(frame);
  boxes.push({ part, node, x, y, width });
  if (dims) context.globalAlpha = 0.3;
  context.fillStyle = colourOf(part, node, look.dark);
  context.fillRect(x, y, width > 2 ? width - 0.5 : width, rowHeight - 1);
  if (matcher && !dims && width > 2) {
    context.strokeStyle = look.match;
    context.strokeRect(x + 0.5, y + 0.5, width - 1.5, rowHeight - 2);
  }
  if (width > 8 && isInlined(frame)) {
    context.fillStyle = 'rgb(0 0 0 / .35)';
    for (let at = x; at < x + width - 4; at += 6) context.fillRect(at, y + rowHeight - 3, 3, 1.5);
  }
  if (width > 18) {
    context.fillStyle = look.dark ? '#fff' : '#111';
    context.fillText(fit(nameOf(frame), width), x + 3, y + rowHeight / 2);
  }
  if (dims) context.globalAlpha = 1;
}

// Calls VISIT(node, x, width, row) for NODE and all below it that are wide enough, as long as it returns true. A deep
// tree must not need a deep stack.
function walk(part, node, width, visit) {
  const rest = [[node, 0, width, 0]];
  while (rest.length) {
    const [at, left, room, row] = rest.pop();
    if (!visit(at, left, room, row)) continue;
    const scale = room / part.width(at);
    let next = left;
    for (const child of part.childrenOf(at)) {
      const size = part.width(child) * scale;
      if (size >= narrowest) rest.push([child, next, size, row + 1]);
      else if (state.order === 'heavy') break;
      next += size;
    }
  }
}

function rowsBelow(part, node) {
  let rows = 0;
  if (part.width(node) > 0) walk(part, node, look.width, (at, left, room, row) => { rows = Math.max(rows, row + 1); return true; });
  return rows;
}

// Draws NODE at Y and what is below it up the screen (STEP -1) or down (1), as far as one can see.
function drawBelow(part, node, y, step) {
  if (!(part.width(node) > 0)) return;
  walk(part, node, look.width, (at, left, room, row) => {
    const top = y + step * row * rowHeight;
    if (top > -rowHeight && top < look.height) drawBox(part, at, left, room, top);
    return step < 0 ? top > 0 : top < look.height;
  });
}

let look; // the canvas' size and colours
let plan; // what is drawn: [part, node, row of the node, step] of each tree, the path above the zoom, and how many rows

// What there is to draw in the present state.
function makePlan() {
  if (state.view === 'sandwich') {
    if (!parts.length) return { trees: [], above: [], rows: 1 };
    const [up, down] = parts, [top, bottom] = parts.map((part) => part.childrenOf(0)[0] ?? 0);
    const rowsUp = rowsBelow(up, top);
    return { trees: [[up, top, rowsUp - 1, -1], [down, bottom, rowsUp - 1, 1]], above: [], rows: rowsUp + rowsBelow(down, bottom), first: rowsUp };
  }
  const node = tree.find(framesOf(state.zoom)), above = [];
  for (let up = node; up > 0; up = tree.parents[up]) above.unshift(tree.parents[up]);
  const rows = above.length + rowsBelow(tree, node), step = state.view === 'icicle' ? 1 : -1;
  return { trees: [[tree, node, step > 0 ? above.length : rows - 1 - above.length, step]], above, rows, first: step > 0 ? 0 : rows };
}

function measure() {
  const ratio = devicePixelRatio || 1;
  look = {
    width: Math.max(graph.clientWidth, 50), height: Math.max(graph.clientHeight, 50), dark: root.classList.contains('dark'),
    match: getComputedStyle(root).getPropertyValue('--match'), select: getComputedStyle(root).getPropertyValue('--select'),
    text: getComputedStyle(root).color,
  };
  canvas.width = Math.round(look.width * ratio);
  canvas.height = Math.round(look.height * ratio);
  canvas.style.width = `${look.width}px`;
  canvas.style.height = `${look.height}px`;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `${fontSize}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.direction = 'ltr';
}

// Everything has changed: makes room for it, and goes to where it begins.
function redraw(scrolls) {
  measure();
  plan = makePlan();
  element('room').style.height = `${Math.max(plan.rows * rowHeight, look.height)}px`;
  if (scrolls) graph.scrollTop = plan.first * rowHeight - (state.view === 'sandwich' ? look.height / 2 : 0);
  draw();
}

// A flame graph that is lower than its room stands on the room's bottom.
const topOf = (row) => row * rowHeight - graph.scrollTop +
  (state.view === 'flame' ? Math.max(0, look.height - plan.rows * rowHeight) : 0);

function draw() {
  boxes = [];
  context.clearRect(0, 0, look.width, look.height);
  const { trees, above } = plan, step = state.view === 'icicle' ? 1 : -1;
  above.forEach((node, row) => drawBox(tree, node, 0, look.width, topOf(step > 0 ? row : plan.rows - 1 - row)));
  for (const [part, node, row, way] of trees) drawBelow(part, node, topOf(row), way);
  if (!trees.length) {
    context.fillStyle = look.text;
    context.fillText('Choose a function in the table.', 8, 12);
  }
  const box = selected && boxes.find(({ part, node }) => part === selected.part && node === selected.node);
  if (!box) return;
  context.strokeStyle = look.select;
  context.lineWidth = 2;
  context.strokeRect(box.x + 1, box.y + 1, Math.max(box.width - 2, 1), rowHeight - 3);
  context.lineWidth = 1;
}

// ---- Details ----

function describe(part, node) {
  const frame = part.frames[node], detail = element('detail');
  const name = document.createElement('bdi'), place = placeOf(frame);
  name.textContent = nameOf(frame).slice(0, 2000);
  const sums = [`self ${amount(part.self[node])} (${share(part.self[node], part.total[0])})`,
    `total ${amount(part.total[node])} (${share(part.total[node], part.total[0])})`];
  if (data.hasBase) sums.push(`base ${amount(part.baseTotal[node])}`, `change ${amount(part.total[node] - part.baseTotal[node])}`);
  detail.replaceChildren(name, ` ${place ? `${place} ` : ''}${isInlined(frame) ? '(inlined) ' : ''}· ${sums.join(' · ')}`);
}

function boxAt(event) {
  const { left, top } = canvas.getBoundingClientRect(), x = event.clientX - left, y = event.clientY - top;
  return boxes.find((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + rowHeight);
}

// ---- The table of functions ----

const tableRows = 500;
function showFunctions() {
  const body = document.querySelector('#functions tbody');
  let list = tree.functions ??= sumFunctions(tree);
  if (matcher) list = list.filter(({ id }) => matcher(id));
  list = [...list].sort((a, b) => b[state.sort] - a[state.sort]).slice(0, tableRows);
  body.replaceChildren(...list.map(({ id, self, total }) => {
    const row = document.createElement('tr');
    const cells = [amount(self), amount(total), nameOf(id).slice(0, 300)].map((text) => {
      const cell = document.createElement('td');
      cell.textContent = text;
      return cell;
    });
    cells[2].dir = 'auto';
    cells[2].title = placeOf(id);
    row.append(...cells);
    row.tabIndex = 0;
    row.setAttribute('aria-selected', String(String(id) === state.function));
    row.onclick = () => go({ function: String(id) });
    row.onkeydown = (event) => { if (event.key === 'Enter') go({ function: String(id) }); };
    return row;
  }));
}

// ---- Updating ----

let shown = {};
function update() {
  const thread = data.threads.indexOf(state.thread);
  if (!tree || shown.thread !== state.thread) tree = treeOf(thread);
  if (shown.order !== state.order || shown.widths !== state.widths) { tree.sorted.clear(); parts = []; }
  if (shown.query !== state.query) matcher = makeMatcher(state.query);
  const wanted = framesOf(state.function)[0];
  if (state.view === 'sandwich' && wanted !== undefined && (!parts.length || shown.function !== state.function || shown.thread !== state.thread)) {
    parts = [callers(tree, functionOf(wanted)), callees(tree, functionOf(wanted))];
  } else if (wanted === undefined) {
    parts = [];
  }
  if (shown.thread !== state.thread || shown.view !== state.view || shown.zoom !== state.zoom || shown.function !== state.function) selected = null;
  shown = { ...state };
  for (const key of ['thread', 'view', 'order', 'widths']) element(key).value = state[key];
  if (element('search').value !== state.query) element('search').value = state.query;
  element('functions').hidden = state.view !== 'sandwich';
  if (state.view === 'sandwich') showFunctions();
  showMatched();
  redraw(!selected);
  const node = state.view === 'sandwich' ? 0 : tree.find(framesOf(state.zoom));
  describe(selected?.part ?? tree, selected?.node ?? node);
}

// ---- Events ----

function choose(box) {
  if (state.view === 'sandwich') go({ function: String(functionOf(box.part.frames[box.node])) });
  else go({ zoom: tree.pathOf(box.node).join('.') });
}

canvas.onmousemove = (event) => {
  const box = boxAt(event);
  canvas.style.cursor = box ? 'pointer' : '';
  if (box) describe(box.part, box.node);
};
canvas.onclick = (event) => {
  const box = boxAt(event);
  if (box) choose(box);
};
canvas.ondblclick = (event) => {
  const box = boxAt(event);
  if (box && box.part.frames[box.node] >= 0) go({ view: 'sandwich', function: String(functionOf(box.part.frames[box.node])) });
};

// The boxes of the rows next to one's own.
function neighbour(key) {
  const first = { part: boxes[0]?.part, node: boxes[0]?.node };
  if (!selected) return first;
  const { part, node } = selected, siblings = node > 0 ? [...part.childrenOf(part.parents[node])] : [];
  const at = siblings.indexOf(node), up = state.view === 'flame' ? 'ArrowUp' : 'ArrowDown';
  const next = {
    ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1],
    ArrowUp: up === 'ArrowUp' ? part.childrenOf(node)[0] : part.parents[node],
    ArrowDown: up === 'ArrowUp' ? part.parents[node] : part.childrenOf(node)[0],
  }[key];
  return next === undefined ? selected : { part, node: next };
}

// Goes to a frame, if need be up or down to it.
function show({ part, node }) {
  if (!part) return;
  let row = 0;
  for (let up = node; up > 0; up = part.parents[up]) row++;
  const [, , first, step] = plan.trees.find(([its]) => its === part);
  const y = topOf(state.view === 'sandwich' ? first + step * (row - 1) : step > 0 ? row : plan.rows - 1 - row);
  if (y < 0) graph.scrollTop += y;
  if (y > look.height - rowHeight) graph.scrollTop += y - look.height + rowHeight;
  describe(part, node);
  draw();
}

graph.onkeydown = (event) => {
  if (event.key.startsWith('Arrow')) {
    selected = neighbour(event.key);
    show(selected);
  } else if (event.key === 'Enter' && selected?.part) choose(selected);
  else if (event.key === 'Backspace') history.back();
  else if (event.key === 'Escape') go({ ...defaults });
  else return;
  event.preventDefault();
};
document.onkeydown = (event) => {
  if (event.key === '/' && event.target !== element('search')) {
    element('search').focus();
    event.preventDefault();
  }
};

element('search').oninput = (event) => go({ query: event.target.value }, true);
for (const key of ['thread', 'view', 'order', 'widths']) element(key).onchange = (event) => go({ [key]: event.target.value });
element('back').onclick = () => history.back();
element('reset').onclick = () => go({ ...defaults });
element('theme').onclick = () => { root.classList.toggle('dark'); redraw(false); };
for (const button of document.querySelectorAll('[data-sort]')) button.onclick = () => go({ sort: button.dataset.sort });
addEventListener('popstate', () => { readAddress(); update(); });
addEventListener('resize', () => redraw(false));
graph.onscroll = () => requestAnimationFrame(draw);

// ---- The start ----

const all = new Option('all', '');
element('thread').replaceChildren(all, ...data.threads.map((name) => new Option(name.slice(0, 100), name)));
element('widths-label').hidden = !data.hasBase;
document.title = `${data.title} – flame graph`;
element('title').textContent = `${data.title}: ${data.type}`;
const used = new Set();
for (let frame = 0; frame < data.frames.length / 4; frame++) used.add(kindOf(frame));
const legend = data.hasBase ? [['more than in base', 'hsl(8 85% 60%)'], ['less', 'hsl(215 85% 60%)']] :
  kinds.map(([name, hue, saturation]) => [name, `hsl(${hue} ${saturation}% 65%)`]).filter((_, kind) => used.has(kind));
for (const [name, colour] of legend) {
  const box = document.createElement('i');
  box.style.background = colour;
  element('legend').append(box, name);
}
element('legend').append(' \u2003dashed below: inlined');
if (matchMedia('(prefers-color-scheme: dark)').matches) root.classList.add('dark');
readAddress();
update();
