// Recursion without end is a RangeError, not a crash, and leaves the stack usable.
import { equal } from './assert.mjs';

let depth = 0;
function down() { depth++; down(); }
for (let i = 0; i < 3; i++) {
  depth = 0;
  let error;
  try { down(); } catch (caught) { error = caught; }
  equal(error instanceof RangeError, true);
  equal(depth > 10000, true, `depth ${depth}`);
}
const nested = '['.repeat(200000) + ']'.repeat(200000);
let error;
try { JSON.stringify(JSON.parse(nested)); } catch (caught) { error = caught; }
equal(error === undefined || error instanceof RangeError, true);
