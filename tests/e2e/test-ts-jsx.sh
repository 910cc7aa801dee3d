#!/usr/bin/env bash
# Elements keep their lines and, on lines of their own, columns; what configures them; what is wrong in them.
source "$(dirname "$0")/lib.sh"
mkdir -p node_modules
cp -r "$root/tests/fixtures/typescript/react" node_modules/react
paths='"paths": { "react": ["./node_modules/react/index.mjs"], "react/*": ["./node_modules/react/*.mjs"], "pre/*": ["./node_modules/react/*.mjs"] }'
config() { echo "{ \"compilerOptions\": { $1${1:+,} $paths } }" >tsconfig.json; }
prints() { # prints TEXT: the program in main.tsx does
  expect_status 0 "$fino" run main.tsx
  expect_text out "$1"
}
rejects() { # rejects PLACE MESSAGE
  expect_status 1 "$fino" run main.tsx
  expect_text err "main.tsx:$1"
  expect_text err "SyntaxError: $2"
}
show='import React from "react"; const h = (...a) => ["h", ...a], F = "F"; console.log(JSON.stringify('

# What each line's function says is where it is: "want LINE:COLUMN" is checked against the stack.
config ''
cat >main.tsx <<'END'
const at = () => /:(\d+:\d+)\)?$/.exec(new Error().stack!.split('\n')[2])![1];
const check = (want: string, got: string) => { if (want !== got) throw new Error(`at ${got} instead of ${want}`); };
function A(props: any) {
  return (
    <section
      title="x"
      onLoad={() => check('7:35', at())}
    >
      {props.list.map((i: number) => check('9:52', at()))}
      text
      over lines
      <b>
        {check('13:25', at())}
      </b>
      <Wide key={props.list[0] as any}>
        {check('16:25', at())}
      </Wide>
    </section>
  );
}
const Wide = (p: any) => p, tree: any = (A as any)({ list: [1] });
tree.props.onLoad();
check('23:16', at());
console.log('positions agree');
END
prints 'positions agree'

# Which calls?
echo "${show}<a>b</a>, null));" >main.tsx
prints '"call":"jsx"'
config '"jsx": "react"'
prints '"call":"createElement"'
config '"jsx": "react-jsxdev"'
prints '"call":"jsxDEV"'
config '"jsx": "react", "jsxFactory": "h", "jsxFragmentFactory": "F"'
echo "${show}<><a>b</a></>));" >main.tsx
prints '["h","F",null,["h","a",null,"b"]]'
config '"jsx": "react", "reactNamespace": "React"'
prints '"call":"createElement"'
config '"jsxImportSource": "pre"'
prints '"call":"jsx"'
config ''
echo "/** @jsx h */ /* @jsxFrag F */ ${show}<><a>b</a></>));" >main.tsx
prints '["h","F",null,["h","a",null,"b"]]'
echo "// a line
/* @jsxRuntime classic */ ${show}<a>b</a>));" >main.tsx
prints '"call":"createElement"'
config '"jsx": "react"'
echo "/** @jsxRuntime automatic
 * @jsxImportSource pre */ ${show}<a>b</a>));" >main.tsx
prints '"call":"jsx"'
echo "/** @jsxImportSource none */ <a/>" >main.tsx
expect_status 1 "$fino" run main.tsx
expect_text err "Cannot find module 'none/jsx-runtime'"

# .jsx: JavaScript, in which nothing else changes.
config ''
echo "import React, { named } from 'react'; const a = 1, b = 2, c = 3; console.log(a < b > (c), (<a>{a}</a>).type);" >main.jsx
expect_status 0 "$fino" run main.jsx
[ "$(<out)" = 'false a' ] || fail "main.jsx prints $(<out)"
echo "let a: number = 1;" >main.jsx
expect_status 1 "$fino" run main.jsx

# Names that are taken
echo "const _jsx = 1, _jsx_1 = 2, _Fragment = 3; console.log(_jsx, JSON.stringify(<><a/></>));" >main.tsx
prints '1 {"call":"jsx","type":"Fragment"'

config '"jsx": "preserve"'
echo '<a/>' >main.tsx
rejects 1:1 'tsconfig.json leaves elements to another tool'
config ''
while IFS='|' read -r place source message; do
  printf '%b\n' "$source" >main.tsx
  rejects "$place" "$message"
done <<'END'
1:5|x = <a>|this <a> has no end: expected </a>
2:5|\nx = <A.b>text {1}|this <A.b> has no end: expected </A.b>
1:8|x = <a></b>;|expected </a> but found </b>
1:11|x = <a><b></a></b>;|expected </b> but found </a>
1:9|x = <a/><b/>;|two elements side by side need one around them: <>...</>
1:9|x = <a>b>c</a>;|a > in the text of an element is written {'>'} or &gt;
1:9|x = <a>b}c</a>;|a } in the text of an element is written {'}'}
1:10|x = <a b={}/>;|an attribute's {} must have a value in it
1:10|x = <a b=c/>;|expected a string in quotes or { but found "c"
1:10|x = <a b="c/>;|this string has no closing quote
1:9|x = <a {b}/>;|expected ... after {
1:11|x = <a>{1 2}</a>;|expected } but found "2"
1:6|x = <1/>;|expected the name of an element, or > for a fragment but found "1"
1:9|x = <a b;/>;|expected an attribute, > or /> but found ";"
1:8|x = <a></a b>;|expected </a> but found </a b>
1:5|x = <><b/>;|this <> has no end: expected </>
END
printf 'x = %s1%s;' "$(printf '<a>%.0s' {1..10000})" "$(printf '</a>%.0s' {1..10000})" >main.tsx
rejects 1: 'nested too deeply'
printf 'console.log((<a>%s</a>).props.children.length);' "$(printf '<i/>%.0s' {1..10000})" >main.tsx
prints 10000
