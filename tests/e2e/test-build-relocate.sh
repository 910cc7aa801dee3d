#!/usr/bin/env bash
# vendor/relocate.c: what it settles is what readelf says the loader would have found; a library behaves as before; what
# it doesn't understand it refuses, whatever the bytes are.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
gcc -std=c17 -O1 -g -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined \
  "$root/vendor/relocate.c" -o relocate
export ASAN_OPTIONS=detect_leaks=0

# What each relocation comes to, by address: "base + N" or the symbol. SYMBOLS lists the library's own by name.
outcomes() { # outcomes LIBRARY
  readelf --dyn-syms -W "$1" | awk '$7 != "UND" && NF >= 8 { name = $8; sub(/@.*/, "", name)
    if ($4 ~ /^(NOTYPE|OBJECT|FUNC)$/ && $5 ~ /^(GLOBAL|WEAK|UNIQUE)$/) print "own", name, $5 }' >own
  readelf -rW "$1" | awk '
    FILENAME == "own" { binding[$2] = $3; next }
    function hex(text, i, n) { n = 0; text = tolower(text)
      for (i = 1; i <= length(text); i++) n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
      return n }
    $3 == "R_X86_64_RELATIVE" { printf "%s base+%d\n", $1, hex($4); next }
    $3 ~ /^R_X86_64_(64|GLOB_DAT|JUMP_SLOT)$/ {
      name = $5; sub(/@.*/, "", name)
      own = (name in binding) && hex($4) != 0 && name !~ /GetFreeMemoryRangesWithin/ && (binding[name] != "UNIQUE" || name ~ /^_Z(GV|Z)?(NK?|ZNK?)?(2v8|4node)/)
      if (own) printf "%s base+%d\n", $1, hex($4) + ($6 == "+" ? hex($7) : 0)
      else print $1, name, $6, $7
      next }
    $3 ~ /^R_X86_64_/ { print }' own - | sort
}
node=$root/vendor/v8/lib/libnode.so.108
./relocate "$node" node.so >out
outcomes "$node" >before
outcomes node.so >after
[ "$(wc -l <after)" -gt 80000 ] || fail "the oracle reads $(wc -l <after) relocations"
if ! cmp -s before after; then diff before after | head -n 20 >&2; fail "a relocation comes to something else"; fi
named=$(readelf -rW node.so | grep -cE 'R_X86_64_(64|GLOB_DAT|JUMP_SLOT)')
[ "$named" -lt 4000 ] || fail "$named relocations still have a name"
cmp -s <(readelf -nW "$node") <(readelf -nW node.so) || fail "the build-id changed"

# A library with a symbol of each kind, and a program that asks it.
cat >other.c <<'C'
int other_value(void) { return 7; }
C
cat >kinds.cc <<'C'
template <typename T> struct once { static int count; };
template <typename T> int once<T>::count = 3;
extern "C" {
int other_value(void);
int plain = 1, zero;
int *const pointers[] = {&plain, &zero, &plain};
__thread int of_thread = 5;
int function(void) { return plain + zero; }
__attribute__((weak)) int weak_function(void) { return 40; }
int (*const table[])(void) = {function, weak_function, other_value};
static int chosen_one(void) { return 500; }
static int (*choose(void))(void) { return chosen_one; }
int chosen(void) __attribute__((ifunc("choose")));
int sum(void) { return function() + weak_function() + *pointers[2] + table[0]() + of_thread + chosen() + ++once<int>::count; }
int ask(void) { return other_value(); }
void never(void) { __builtin_trap(); }
}
C
cat >program.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    int (*sum)(void) = (int (*)(void))dlsym(library, "sum"), (*ask)(void) = (int (*)(void))dlsym(library, "ask");
    printf("%d\n", sum());
    fflush(stdout);
    if (argc > 2) printf("%d\n", ask());
    return 0;
}
C
gcc -shared -fPIC other.c -o libother.so.1 -Wl,-soname,libother.so.1
g++ -shared -fPIC kinds.cc -o kinds.so -Wl,-z,now -fplt -L. -l:libother.so.1 -Wl,-rpath,"$PWD"
g++ -shared -fPIC kinds.cc -o lazy.so -Wl,-z,lazy -fplt -L. -l:libother.so.1 -Wl,-rpath,"$PWD"
gcc program.c -o program && gcc -c program.c
./relocate kinds.so same.so && ./relocate kinds.so without.so libother.so.1
[ "$(./program ./kinds.so all)" = $'552\n7' ] && [ "$(./program ./same.so all)" = $'552\n7' ] || fail "it behaves otherwise"
if readelf -dW without.so | grep libother >/dev/null; then fail "still asks for what is left out"; fi
[ "$(./program ./without.so)" = 552 ] || fail "without the other library it behaves otherwise"
expect_status 132 ./program ./without.so all
readelf -rW same.so | grep -E '(function|plain|pointers)( |$)' >/dev/null && fail "names its own symbols"
for name in chosen of_thread _ZN4onceIiE5countE other_value; do
  readelf -rW same.so | grep -F "$name" >/dev/null || fail "$name was settled"
done

# Again: the same bytes.
./relocate same.so again.so && cmp same.so again.so || fail "not the same when done again"
./relocate without.so again.so libother.so.1 && cmp without.so again.so || fail "not the same when done again without"

# Refused: in words, with exit code 1, and nothing is written.
refuses() { # refuses WHY FILE [LEFT-OUT]
  local status=0
  rm -f none.so
  ./relocate "$2" none.so "${@:3}" >out 2>err || status=$?
  [ $status = 1 ] || { cat err >&2; fail "$2: exit code $status"; }
  expect_text err "relocate: "
  expect_text err "$1"
  [ ! -e none.so ] || fail "$2: refused, but written"
}
refuses 'not an ELF file' program.c
refuses 'not a shared library' program.o
refuses 'when they are first made' lazy.so
refuses 'No such file' nothing.so
refuses 'not a regular file' .
refuses 'not an ELF file' kinds.so program.c
for nbytes in 0 3 63 64 200 1000 4000 9000; do
  head -c $nbytes kinds.so >cut.so
  refuses '' cut.so
done
[ -z "$(compgen -G 'none.so*')" ] || fail "it left something behind"

# Damaged anywhere that it reads: refused or done, never a crash.
size=$(stat -c %s kinds.so) RANDOM=1
for ((i = 0; i < 100; i++)); do
  cp kinds.so damaged.so
  if ((i % 2)); then at=$((RANDOM % 1024)); else at=$(((RANDOM * 32768 + RANDOM) % size)); fi
  printf "\\x$(printf %x $((RANDOM % 256)))" | dd of=damaged.so bs=1 seek=$at conv=notrunc status=none
  status=0
  ./relocate damaged.so none.so libother.so.1 >out 2>err || status=$?
  [ $status -le 1 ] || { cat err >&2; fail "byte $at damaged: exit code $status"; }
done
