#!/usr/bin/env bash
# The static libraries: small, usable from C and C++ with their one folder of headers, with glibc and musl; no symbol of theirs
# can clash with a program's own.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
(cd "$root" && ./build.sh lib) >out 2>err || { cat out err >&2; fail "build.sh lib fails"; }
lib=$root/build/lib

cat >program.c <<'END'
#include <stdio.h>
#include <string.h>
#include "pprof/pprof.h"
int main(void) {
    static const struct fino_pprof_value_type types[] = {{"work", "count"}};
    const struct fino_pprof_config config = {.sample_types = types, .sample_type_count = 1};
    fino_pprof *profile = fino_pprof_new(&config);
    struct fino_pprof_function function = {.start_line = 1};
    function.name = function.system_name = fino_pprof_string(profile, "hello", 5);
    function.filename = fino_pprof_string(profile, "hello.c", 7);
    const struct fino_pprof_line line = {.function = fino_pprof_add_function(profile, &function), .line = 3};
    const uint32_t location = fino_pprof_add_location(profile, FINO_PPROF_NONE, 0, &line, 1);
    const int64_t value = 42;
    struct fino_pprof_header header;
    uint8_t *data;
    size_t nbytes;
    memset(&header, 0, sizeof header);
    if (fino_pprof_add_sample(profile, &location, 1, 0, &value) != 0) return 1;
    if (fino_pprof_encode(profile, NULL, &header, 6, &data, &nbytes) != 0) return 2;
    if (fwrite(data, 1, nbytes, stdout) != nbytes) return 3;
    fino_pprof_bytes_free(profile, data, nbytes);
    fino_pprof_free(profile);
    return 0;
}
END

uses() { # uses NAME COMMAND...: what it builds makes a profile that pprof reads
  local name=$1
  shift
  "$@" -o "$name" || fail "$name does not build"
  "./$name" >"$name.pb" || fail "$name fails"
  go tool pprof -top "$name.pb" 2>&1 | grep '42 .*hello' >/dev/null || fail "pprof does not read what $name wrote"
  echo "$name: ok"
}

uses with_c11 gcc -std=c11 -Wall -Wextra -Werror -pedantic -I"$lib/include" program.c "$lib/libfinopprof.a"
gcc -shared -fPIC -I"$lib/include" program.c "$lib/libfinopprof.a" -Wl,-z,defs -o shared.so || fail "no shared object can have it inside"
uses with_sampler gcc -I"$lib/include" program.c "$lib/libfinosampler.a" -pthread
cat >program.cc <<'END'
#include "sampler/sampler.h"
int main() {
    decltype(&fino_sampler_start) volatile start = fino_sampler_start;
    return start == nullptr;
}
END
g++ -Wall -Wextra -Werror -pedantic -I"$lib/include" program.cc "$lib/libfinosampler.a" -pthread -o with_cxx || fail "C++ can't use it"
./with_cxx
uses with_musl musl-gcc -static -I"$lib/musl/include" program.c "$lib/musl/libfinopprof.a"

# The commands that the example names.
count=0
while read -r command; do
  (cd "$root" && bash -c "${command% -o embed_pprof} -Wall -Wextra -Werror -o $work/embed_pprof") || fail "fails: $command"
  ./embed_pprof >embedded.pb.gz
  go tool pprof -top embedded.pb.gz 2>&1 | grep '4200 .*scan' >/dev/null || fail "pprof does not read what this makes: $command"
  count=$((count + 1))
done < <(sed -n 's,^ \*   \(gcc .* -o embed_pprof\)$,\1,p' "$root/examples/embed_pprof.c")
[ $count = 2 ] || fail "$count commands in examples/embed_pprof.c"

# The size report, and what pprof.h says of it in kB.
grep 'libfinopprof.a: [0-9]* bytes' out
all=$(grep -o 'libfinopprof.a: [0-9]*' out | tr -dc 0-9) writer=$(grep -o 'has [0-9]*' out | tr -dc 0-9)
[ "$writer" -gt 10000 ] && [ "$writer" -lt 40000 ] || fail "a program that writes profiles has $writer bytes of text"
read -r writer_stated all_stated <<<"$(sed -nE 's/^ \* Size: +([0-9]+) kB of .* ([0-9]+) kB for all .*/\1 \2/p' "$root/src/pprof/pprof.h")"
near() { [ $(($1 - $2 * 1000)) -lt 1500 ] && [ $(($2 * 1000 - $1)) -lt 1500 ] || fail "pprof.h says $2 kB, and it is $1 bytes"; }
near "$writer" "$writer_stated"
near "$all" "$all_stated"

foreign=$(nm --defined-only -g "$lib/libfinosampler.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^(fino|deflate|pprof|sampler)_/ { print $3 }')
[ -z "$foreign" ] || fail "symbols without a prefix of ours: $(xargs <<<"$foreign")"
