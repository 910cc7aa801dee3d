#!/usr/bin/env bash
# A tsconfig.json that can't be understood is an error with file, line, column, the line itself and a caret.
source "$(dirname "$0")/lib.sh"

echo 'console.log("ran");' >main.ts
broken() { # broken TEXT PLACE MESSAGE
  printf '%b' "$1" >tsconfig.json
  expect_status 1 "$fino" run main.ts
  expect_text err "$2"
  expect_text err "SyntaxError: $3"
  expect_text err "^"
}
fine() {
  printf '%b' "$1" >tsconfig.json
  expect_status 0 "$fino" run main.ts
}
broken '{\n  "compilerOptions": {\n    "jsx" "react"\n  }\n}\n' tsconfig.json:3:11 "expected : but found '\"'"
broken '{ "a": 1 "b": 2 }' tsconfig.json:1:10 "expected , or }"
broken '{ "compilerOptions": [ 1, ' tsconfig.json:1: 'expected a value but the file ends'
broken '{ "a": tru }' tsconfig.json:1:8 'expected a value'
broken "{ 'a': 1 }" tsconfig.json:1:3 'expected a name in double quotes or }'
broken '{ "a": "x' tsconfig.json:1:8 'this string has no closing quote'
broken '{ "a": 1 } /* ' tsconfig.json:1:12 'this comment has no end'
broken '{ "a": "\\q" }' tsconfig.json:1:9 'this escape has no meaning in JSON'
broken '[]' tsconfig.json:1:1 'expected an object'
broken '' tsconfig.json:1:1 'expected a value but the file ends'
broken '{} {}' tsconfig.json:1:4 'expected the end of the file'
broken '{ "compilerOptions": { "jsx": "vue" } }' tsconfig.json:1:31 '"jsx" must be'
broken '{ "compilerOptions": { "useDefineForClassFields": "yes" } }' tsconfig.json:1:51 '"useDefineForClassFields" must be true or false'
broken '{ "compilerOptions": { "paths": { "a": "b" } } }' tsconfig.json:1:40 '"paths" must map "a" to an array'
broken '{ "extends": "./missing" }' tsconfig.json:1:14 "there is no configuration './missing' to extend"
broken '{ "extends": "./tsconfig.json" }' tsconfig.json:1:14 'this "extends" comes back to itself'
echo '{ "compilerOptions": { "target": 3 } }' >base.json
broken '{ "extends": "./base" }' base.json:1:34 '"target" must be a string'
broken "$(printf '[%.0s' {1..300})" tsconfig.json:1:201 'nested too deeply'

fine '\xEF\xBB\xBF{}'
fine '// only\r\n{ /* c */ "x": [1, 2,], "y": {"a": -1.5e3,}, } // end'
fine '{ "compilerOptions": null, "extends": null }'

# What has no types needs no tsconfig.json.
echo 'console.log("ran");' >main.mjs
printf '{' >tsconfig.json
expect_status 0 "$fino" run main.mjs
