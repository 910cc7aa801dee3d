#!/usr/bin/env bash
# Behind what lowering TypeScript wrote on a line, too, columns are the file's: in stacks, and where an uncaught error is.
source "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
mkdir -p node_modules
cp -r "$root/tests/fixtures/typescript/react" node_modules/react
cp "$root/tests/fixtures/typescript/columns.tsx" .
here=$(pwd -P)
config() { echo "{ \"compilerOptions\": { $1, \"paths\": { \"react\": [\"./node_modules/react/index.mjs\"], \"react/*\": [\"./node_modules/react/*.mjs\"] } } }" >tsconfig.json; }

# Where each HERE(n) is, as "n line:column" with columns in UTF-16 units.
cat >want.mjs <<'END_OF_SCRIPT'
import { readFileSync } from 'node:fs';
readFileSync(process.argv[2], 'utf8').split(/\r\n|[\r\n]/).forEach((line, i) => {
  for (const m of line.matchAll(/HERE\((\d+)\)/g)) console.log(`${m[1]} ${i + 1}:${m.index + 1}`);
});
END_OF_SCRIPT
expect_places() { # expect_places FILE: each HERE(n) of it says where it is
  expect_status 0 "$fino" run "$1"
  sort -n out >got
  node want.mjs "$1" | sort -n >want
  [ "$(wc -l <want)" -ge 40 ] || fail "only $(wc -l <want) places"
  expect_same want got
}
for jsx in '"jsx": "react-jsx"' '"jsx": "react-jsxdev"' '"jsx": "react", "jsxFactory": "h"' \
  '"jsx": "react-jsx", "experimentalDecorators": true, "useDefineForClassFields": false'; do
  config "$jsx"
  file=columns.tsx
  if [[ $jsx == *experimental* ]]; then # which has no accessors
    sed 's/accessor //' columns.tsx >legacy.tsx
    file=legacy.tsx
  fi
  expect_places "$file"
done
config '"jsx": "react-jsx"'
sed 's/$/\r/' columns.tsx >crlf.tsx
expect_places crlf.tsx
tr '\n' '\r' <columns.tsx >cr.tsx
expect_places cr.tsx
{ printf '\xef\xbb\xbf'; grep '^const h = ' columns.tsx | tr -d '\n'; grep -v -e '^const h = ' -e '^//' columns.tsx; } >bom.tsx
expect_places bom.tsx

expect_report() { # expect_report SOURCE MESSAGE [FILE]: at the place of the first NOWHERE in its only line
  local before=${1%%NOWHERE*} file=${3:-report.tsx} caret place
  place=$here/$file:1:$(($(printf %s "$before" | iconv -f UTF-8 -t UTF-16LE | wc -c) / 2 + 1))
  printf '%s\n' "$1" >"$file"
  expect_status 1 "$fino" run "$file"
  expect_text err "$2"
  [ "$(sed -n 2p err)" = "$1" ] || fail "another line"
  [ "$(head -n 1 err)" = "$place" ] || { cat err >&2; fail "another place"; }
  caret=$(sed -n 3p err)
  [ "${caret%%^*}" = "${before//[^ ]/ }" ] || { cat err >&2; fail "the caret is not under it"; }
  grep -q "^    at .*$place)\?\$" err || { cat err >&2; fail "no such frame"; }
}
undefined='Uncaught ReferenceError: NOWHERE is not defined'
expect_report 'enum E { A = 1, B = NOWHERE }' "$undefined"
expect_report 'namespace N { export const x = 1, y = [x, NOWHERE]; }' "$undefined"
expect_report 'class C { constructor(public a = 1) { NOWHERE; } } new C();' "$undefined"
expect_report '{ using a = null; NOWHERE; }' "$undefined"
expect_report 'const e = <a b={1}>{NOWHERE}</a>;' "$undefined"
expect_report '/* 😀 */ const e = <a b={1}>{"ä😀"}{NOWHERE}</a>;' "$undefined"
expect_report 'const e = <a b={1}>{NOWHERE}</a>;' "$undefined" report.jsx

# What V8 finds wrong in the text that is left, and an import that leads nowhere.
printf 'const e = <a b={1}/>; let a = 1; let a = 2;\n' >report.tsx
expect_status 1 "$fino" run report.tsx
expect_text err "$here/report.tsx:1:38"
expect_text err "Identifier 'a' has already been declared"
printf 'const e = <a b={1}/>; import "./missing.js";\n' >report.tsx
expect_status 1 "$fino" run report.tsx
expect_text err "imported from $here/report.tsx:1:30"

# All else about stacks is as V8 has it: the same program, with an element in it and without.
cat >stacks.ts <<'END_OF_SCRIPT'
const line = (error: any) => String(error.stack).replaceAll(/\/\S*\/stacks\.tsx?/g, 'FILE');
class Wrong extends Error { name = 'Wrong'; constructor() { super('made'); } }
console.log(line(new Wrong()));
const o: any = { toString: () => 'o' }; Error.captureStackTrace(o); console.log(line(o));
function hidden() { const h: any = { name: 'H', message: 'm' }; Error.captureStackTrace(h, hidden); return h; }
console.log(line(hidden()));
const throws = (thrown: any) => Object.defineProperty(new Error(''), 'message', { get() { throw thrown; } });
console.log(line(throws(new TypeError('inner'))), line(throws(throws(1))), line(throws(1)));
console.log(line(eval('new Error("in eval")')), line(eval('eval("new Error()")')));
class A { static get x() { return new Error('getter'); } async m() { await 0; return new Error('async'); } }
console.log(line(A.x), line(await new A().m()), line([1].map(() => new Error('map'))[0]));
console.log(line(await Promise.all([(async () => { await 0; throw new Error('all'); })()]).catch((e) => e)));
Error.stackTraceLimit = 1; console.log(line(A.x)); Error.stackTraceLimit = 0; console.log(line(A.x)); Error.stackTraceLimit = 10;
try { null!.x; } catch (e) { console.log(line(e)); }
function deep(): any { return deep(); }
try { deep(); } catch (e) { console.log(line(e).slice(0, 60)); }
const prepare = (Error as any).prepareStackTrace = (e: any, sites: any[]) => sites.map((s) => [s.getFunctionName(), s.getLineNumber(), s.getColumnNumber(), s.isToplevel(), s.isConstructor()].join());
console.log(line(A.x), (Error as any).prepareStackTrace === prepare);
(Error as any).prepareStackTrace = () => { throw new RangeError('of prepare'); };
try { console.log(line(A.x)); } catch (e) { (Error as any).prepareStackTrace = undefined; console.log(line(e)); }
(Error as any).prepareStackTrace = 7; console.log(line(A.x));
END_OF_SCRIPT
{ cat stacks.ts; echo 'export const e = <a b={1}/>;'; } >stacks.tsx
expect_status 0 "$fino" run stacks.ts
[ "$(wc -l <out)" -ge 40 ] || fail "only $(wc -l <out) lines of stacks"
cp out plain
expect_status 0 "$fino" run stacks.tsx
grep -v 'at internal\.formatStack (fino:' out >shown # which calls Error.prepareStackTrace
expect_same plain shown

# Call sites, as Error.prepareStackTrace gets them, and where an eval was called.
cat >sites.tsx <<'END_OF_SCRIPT'
const sites = (e: any, all: any[]) => all[0].getColumnNumber() + ' ' + all[0] + ' ' + all[0].getEvalOrigin();
const e: any = <a b={1}>{new Error()}{eval('new Error()')}</a>; const [one, two] = e.props.children;
console.log(two.stack.split('\n')[1]);
(Error as any).prepareStackTrace = sites; console.log(one.stack);
END_OF_SCRIPT
expect_status 0 "$fino" run sites.tsx
expect_text out "    at eval (eval at <anonymous> ($here/sites.tsx:2:39), <anonymous>:1:1)"
expect_text out "26 $here/sites.tsx:2:26"

# A function without a name has its place for one in profiles.
cat >hot.tsx <<'END_OF_SCRIPT'
function id(f: any) { return f; }
const e: any = <a b={1} c={2}>{id(function () { let s = 0; for (let i = 0; i < 3e7; i++) s += Math.sqrt(i % 100); return s; })}</a>;
e.props.children();
END_OF_SCRIPT
expect_status 0 "$fino" run --profile=hot.pb hot.tsx
expect_text err '(anonymous) hot.tsx:2:44'
