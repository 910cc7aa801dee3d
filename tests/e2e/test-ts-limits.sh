#!/usr/bin/env bash
# Files beyond what anybody writes run, or end in an error that says where: of 50 MB, nested 10,000 deep, with bytes that
# are not UTF-8. And what a file of four times the size takes is four times as much: tests/ts/linear.c counts it.
source "$(dirname "$0")/lib.sh"

# 50 MB of types, and behind them the place of what is thrown.
awk 'BEGIN {
  while (nbytes < 50 * 1048576) {
    line = "type T" ++count " = { a: " count "; b: Array<Map<string, number>>; c?(x: unknown): x is 1 };"
    print line
    nbytes += length(line) + 1
  }
  print "console.log(\"ran\" as string); throw new Error(\"here\" as string);"
  print count + 1 >"place"
}' >huge.ts
expect_status 1 "$fino" run huge.ts
expect_text out ran
expect_text err "huge.ts:$(<place):37"

repeat() { # repeat BEFORE OPEN MIDDLE CLOSE: 10,000 times, in nested.ts
  awk -v before="$1" -v open="$2" -v middle="$3" -v close_="$4" 'BEGIN {
    printf "%s", before
    for (i = 0; i < 10000; i++) printf "%s", open
    printf "%s", middle
    for (i = 0; i < 10000; i++) printf "%s", close_
    print "\nconsole.log(1)"
  }' >nested.ts
}
nested() {
  repeat "$@"
  expect_status 1 "$fino" run nested.ts
  expect_text err "nested.ts:1:"
  expect_text err "SyntaxError: nested too deeply (more than "
}
nested 'let x: ' '{ a: ' b ' }'
nested 'let x: ' 'Array<' b '>'
nested 'x = ' '(' 1 ')'
nested 'x = ' '[' 1 ']'
nested '' 'namespace N { ' '' ' }'
nested '' 'class A { m(): void { ' '' ' } }'
nested '' '{ using a = b; ' '' ' }'
nested 'x = ' '`${' 1 '}`'
repeat 'let x = ' '<any>' 1 '' # not recursive: it has a result
expect_status 0 "$fino" run nested.ts
expect_text out 1

invalid() { # invalid BYTES PLACE BYTE
  printf '%b' "$1" >invalid.ts
  expect_status 1 "$fino" run invalid.ts
  expect_text err "invalid.ts:$2"
  expect_text err "SyntaxError: this byte ($3) is not valid UTF-8"
}
invalid 'let x: number;\nlet y: "\xF0\x9F\x98\x80 \xFF";' 2:12 0xff # columns are UTF-16 units
invalid 'let a = "\xED\xA0\x80";' 1:10 0xed
invalid '// \xC0\x80' 1:4 0xc0
invalid 'a\r\nb \xE2\x82' 2:3 0xe2

for source in "$root"/src/runtime/typescript*.c "$root/src/runtime/utf8.c"; do
  ${CC:-gcc} -std=c17 -O1 -D_GNU_SOURCE -fno-builtin -fsanitize-coverage=trace-pc -I"$root/src" -c "$source" -o "$(basename "$source").o"
done
${CC:-gcc} -std=c17 -O1 -I"$root/src" "$root/tests/ts/linear.c" ./*.o -lm \
  -Wl,--wrap={memcpy,memmove,memset,memcmp,memchr,strlen} -o linear
expect_status 0 ./linear
tail -n 1 out
