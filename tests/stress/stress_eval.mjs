// Code that is made, run, collected and made again where other code was: a name that outlives its code would show as a
// function of another number, so made_7 calls leaf_7 alone.
// V8: --expose-gc --stress-flush-code --stress-compaction --interrupt-budget=2000 --always-sparkplug
import { args } from 'fino:process';

function textOf(number) {
  return `function leaf_${number}(n) { let s = ${number}; for (let i = 0; i < n; i++) s = Math.sqrt(s + i); return s; }
    function made_${number}(n) { return leaf_${number}(n) + leaf_${number}(n); }`;
}
function makeByEval(number) { return (0, eval)(`(function () { ${textOf(number)} return made_${number}; })()`); } // (anonymous)
function makeByFunction(number) { return new Function(`${textOf(number)} return made_${number};`)(); } // (anonymous)
function runMade(made) {
  let total = 0;
  for (let k = 0; k < 30; k++) total += made(400); // calls made_*
  return total;
}
function round(number) {
  const some = [];
  for (let i = 0; i < 10; i++) some.push(makeByEval(number * 20 + i), makeByFunction(number * 20 + 10 + i));
  some.forEach(runMade);
  some.forEach(runMade);
  if (number % 4 === 0) gc();
}
const end = Date.now() + Number(args[0]) * 1000;
for (let number = 0; Date.now() < end; number++) round(number);
