#!/usr/bin/env bash
# The library without fino: the example program builds against build/lib with gcc, and as a static binary with musl;
# `go tool pprof` names its functions and finds their shares; no symbol of V8 is needed.
# TIMEOUT: 300
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/test/embed
mkdir -p "$out"

./build.sh lib >"$out/build.log" 2>&1 || { cat "$out/build.log"; exit 1; }
[ -d build/lib/musl ] || { echo "needs musl-gcc. On Debian: apt-get install musl-tools"; exit 77; }

check() { # check NAME TOLERANCE: runs it and looks at its profile
  "$out/$1" "$out/$1.pb" 1
  go tool pprof -top -cum "$out/$1.pb" >"$out/$1.top" 2>"$out/$1.err"
  awk -v name="$1" -v tolerance="$2" '
    { share[$6] = $5 + 0 }
    # Of what is in the three: where libc has no CFI, as in musl, the callers of its leaves are lost.
    function near(what, want,   got) {
      got = 100 * share[what] / (share["parse"] + share["plan"] + share["print"])
      printf "  %s: %s %.2f %%, expected %d +- %s\n", name, what, got, want, tolerance
      if (got < want - tolerance || got > want + tolerance) bad = 1
    }
    END { near("parse", 50); near("plan", 30); near("print", 20); exit bad }' "$out/$1.top"
  go tool pprof -tags "$out/$1.pb" 2>/dev/null >"$out/$1.tags"
  grep -q ': main$' "$out/$1.tags" && grep -q ': worker$' "$out/$1.tags"
  go tool pprof -comments "$out/$1.pb" 2>/dev/null | grep '^embed_sampler$' >/dev/null
}

gcc -O2 -g -Wall -Wextra -Werror -Ibuild/lib/include examples/embed_sampler.c build/lib/libfinosampler.a -pthread \
  -o "$out/glibc"
check glibc 1.5
musl-gcc -static -O2 -g -Wall -Wextra -Werror -Ibuild/lib/musl/include examples/embed_sampler.c \
  build/lib/musl/libfinosampler.a -o "$out/musl"
check musl 3

# musl has no CFI: samples inside of it lose their callers, but all others reach main's or the thread's start.
go tool pprof -comments "$out/musl.pb" 2>/dev/null | awk '
  /^stacks: / { complete = $2; truncated = $4 }
  END { printf "  musl: %d stacks complete, %d truncated\n", complete, truncated; exit complete < 4 * truncated }'
if file "$out/musl" | grep dynamically >/dev/null; then echo "not static"; exit 1; fi
