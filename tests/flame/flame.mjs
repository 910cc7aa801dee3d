// Uses a flame graph as a person does, in Chromium, and reads back what it says: flame.mjs SMALL.html DIFF.html LARGE.html.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { open } from '../chromium.mjs';
import { hostile } from './make.mjs';

const [small, diff, large] = process.argv.slice(2).map((file) => pathToFileURL(file).href);
const page = await open(small);
const visit = (url) => page.goto(url, 'typeof boxes === "object"');
const text = (id) => page.evaluate(`document.getElementById('${id}').textContent`);
const drawn = () => page.evaluate('boxes.map(({ part, node }) => nameOf(part.frames[node]))');
const centre = (name) => page.evaluate(`(() => {
  const box = boxes.find(({ part, node }) => nameOf(part.frames[node]) === ${JSON.stringify(name)});
  const { left, top } = canvas.getBoundingClientRect();
  return box && [left + box.x + box.width / 2, top + box.y + 8];
})()`);
const clickOn = async (name) => page.click(...await centre(name));
const choose = (id, value) => page.evaluate(`(() => {
  const select = document.getElementById('${id}');
  select.value = ${JSON.stringify(value)};
  select.dispatchEvent(new Event('change'));
})()`);
const settle = () => page.evaluate('new Promise((resolve) => setTimeout(resolve, 60))');

// Hostile names are shown, not run.
assert.deepEqual(page.errors, []);
assert.equal(await page.evaluate('typeof window.pwned'), 'undefined');
assert.equal(await page.evaluate('document.querySelectorAll("img, script").length'), 2);
const names = await drawn();
for (const name of hostile.slice(0, 8)) assert(names.includes(name), `no frame ${name.slice(0, 40)}`);

// Hovering: self, total, shares, file and line.
await page.move(...await centre('a'));
assert.match(await text('detail'), /^a \/app\/main\.ts:20 · self 0 ns \(0\.00 %\) · total 900\.00 ms \(89\.20 %\)$/);
await page.move(...await centre('c'));
assert.match(await text('detail'), /^c .*\(inlined\) · self 200\.00 ms \(19\.82 %\)/);

// Clicking zooms; back and reset.
await clickOn('a');
await settle();
assert.match(await text('detail'), /^a .*total 900\.00 ms/);
assert.equal(await page.evaluate('boxes.find(({ part, node }) => nameOf(part.frames[node]) === "a").width'), await page.evaluate('look.width'));
assert(!(await drawn()).includes('d'), 'a sibling of the zoomed frame is drawn');
const address = await page.evaluate('location.href');
await page.evaluate('document.getElementById("back").click()');
await settle();
assert((await drawn()).includes('d'), 'back does not go back');

// Search: a text and an expression; the share is of the whole, each stack once.
await page.evaluate('document.getElementById("search").focus()');
await page.type('b');
assert.match(await text('matched'), /^69\.38 % matched/);
await page.evaluate('document.getElementById("search").select()');
await page.type('/^(a|c|d)$/');
assert.match(await text('matched'), /^99\.11 % matched/);
await page.evaluate('document.getElementById("search").select()');
await page.type('/(/');
assert.match(await text('matched'), /^0\.00 %/);
await page.evaluate('document.getElementById("reset").click()');
assert.equal(await text('matched'), '');

// One thread.
await choose('thread', 'worker');
await page.move(...await centre('b'));
assert.match(await text('detail'), /^b .*self 100\.00 ms \(100\.00 %\)/);
await choose('thread', '');

// An icicle hangs.
const above = async () => (await centre('a'))[1] < (await centre('root'))[1];
assert.equal(await above(), true);
await choose('view', 'icicle');
assert.equal(await above(), false);

// The sandwich: the table's sums, and callers and callees of what was chosen.
await choose('view', 'sandwich');
const rows = await page.evaluate('[...document.querySelectorAll("#functions tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))');
assert.deepEqual(rows[0], ['700.00 ms', '700.00 ms', 'b']);
assert(rows.some(([self, total, name]) => self === '0 ns' && total === '900.00 ms' && name === 'a'), 'the sum of a');
await page.evaluate('[...document.querySelectorAll("#functions tbody tr")].find((row) => row.cells[2].textContent === "a").click()');
assert.deepEqual([...new Set(await drawn())].sort(), ['a', 'b', 'c', 'root']);

// Keys, for who has no mouse: the frame that is selected is described in a live region.
await page.evaluate('document.getElementById("reset").click(), graph.focus()');
for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp']) await page.press(key);
assert.match(await text('detail'), /^b /);
await page.press('ArrowDown');
await page.press('ArrowRight');
assert.match(await text('detail'), /^d |^a /);
await page.press('Enter');
await settle();
assert.match(await page.evaluate('location.hash'), /zoom=/);
await page.press('Escape');
assert.equal(await page.evaluate('state.zoom'), '');
if (process.env.SCREENSHOT) await page.screenshot(process.env.SCREENSHOT);

// An address is a view.
await visit(address);
assert.match(await text('detail'), /^a .*total 900\.00 ms/);
await visit(`${small}#zoom=999999.0.-1&view=nonsense&thread=nobody&function=77777`);
assert.deepEqual(page.errors, []);

// Two profiles.
await visit(diff);
await page.move(...await centre('b'));
assert.match(await text('detail'), /^b .*total 700\.00 ms .* · base 400\.00 ms · change 300\.00 ms$/);
await choose('widths', 'base');
await page.move(...await centre('b'));
assert.match(await text('detail'), /base 400\.00 ms/);

// 100,000 stacks.
await visit(large);
assert.deepEqual(page.errors, []);
const paint = await page.evaluate('performance.getEntriesByType("paint")[0].startTime');
const redraw = await page.evaluate('(() => { const start = performance.now(); for (let i = 0; i < 10; i++) draw(); return (performance.now() - start) / 10; })()');
console.log(`100,000 stacks: first paint after ${paint.toFixed(0)} ms, a drawing ${redraw.toFixed(1)} ms`);
assert.equal(await page.evaluate('tree.total[0]'), await page.evaluate('data.costs.reduce((sum, n, i) => sum + (i % 4 === 2 ? n : 0), 0)'));
await page.close();
