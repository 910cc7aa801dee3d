#!/usr/bin/env bash
# An uncaught error shows file:line:column, the line as the user wrote it, and a caret under the place.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

expect_picture() { # expect_picture FILE LINE COLUMN SOURCE_LINE CARET_LINE
  expect_status 1 "$fino" run "$1"
  expect_text err "$(pwd -P)/$1:$2:$3"
  expect_text err "$4"
  expect_text err "$5"
}
printf 'interface A { x: number }\nfunction f(a: A): void {\n\tthrow new TypeError(`bad ${a.x}` as string);\n}\nf({ x: 1 } as A);\n' > typed.ts
expect_picture typed.ts 3 8 $'\tthrow new TypeError(`bad ${a.x}` as string);' $'\t      ^'
expect_text err 'Uncaught TypeError: bad 1'
expect_text err "at f ($(pwd -P)/typed.ts:3:8)"
printf 'const s = "äö€😀"; null.x;\n' > wide.mjs
expect_picture wide.mjs 1 25 'const s = "äö€😀"; null.x;' '                       ^'
{ printf '%4000s' | tr ' ' ';'; printf 'throw new Error("far");'; printf '%4000s' | tr ' ' ';'; } > long.mjs
expect_status 1 "$fino" run long.mjs
expect_text err 'long.mjs:1:4007'
[ "$(wc -c < err)" -lt 1000 ] || fail "a minified line is shown whole"
printf 'const x = 1;\nconst y = ;\n' > syntax.mjs
expect_picture syntax.mjs 2 11 'const y = ;' '          ^'
printf 'let a: number = 1;\nlet b: = 2;\n' > syntax.ts
expect_status 1 "$fino" run syntax.ts
expect_text err 'syntax.ts:2:'
expect_text err 'let b: = 2;'
printf '"use strict";\r\nthrow new Error("crlf");\r\n' > crlf.mjs
expect_picture crlf.mjs 2 7 'throw new Error("crlf");' '      ^'
