#!/usr/bin/env bash
# Checks what the compiler can't; build.sh runs it and stops on a violation.
#   check.sh includes   the layers: deflate <- pprof <- sampler <- runtime, and only public headers of another folder
#   check.sh signals    signal-safe code (src/**/*_sig.c) calls only what tests/signal_symbols.txt allows
set -euo pipefail
cd "$(dirname "$0")/.."

check_includes() {
  find src -name '*.[ch]' -o -name '*.cc' | sort | xargs awk '
    BEGIN {
      split("deflate pprof sampler runtime", order); for (i in order) rank[order[i]] = i
      public["deflate/deflate.h"]; public["pprof/pprof.h"]; public["sampler/sampler.h"]; public["sampler/managed.h"]
    }
    function violation(what) { print FILENAME ":" FNR ": " what; bad = 1 }
    !/^[ \t]*#[ \t]*include/ { next }
    /<v8[-a-z]*\.h>|<libplatform\// && FILENAME !~ /^src\/runtime\/v8_[a-z_]*\.cc$/ {
      violation("V8 is included only by src/runtime/v8_*.cc")
    }
    /"/ {
      split($0, quoted, "\""); header = quoted[2]
      split(FILENAME, path, "/"); own = path[2]
      if (header ~ /\.\.\//) violation("include from src/, not by ../")
      layer = header; if (!sub(/\/.*/, "", layer)) layer = own
      if (layer == own) {
        if (path[3] ~ /^mod_/ && header ~ /mod_[a-z_]*\.h$/) {
          base = header; sub(/.*\//, "", base); sub(/\.h$/, "", base)
          if (path[3] !~ "^" base "\\.") violation("mod_* files do not include one another")
        }
        next
      }
      if (!(layer in rank)) violation("no such layer: " header)
      else if (rank[layer] > rank[own]) violation(own " is below " layer " and can not include " header)
      else if (!(header in public)) violation(header " is private to src/" layer)
    }
    END { exit bad }'
}

check_signals() {
  local objects object symbol bad=0
  objects=$(find build/release/obj/src -name '*_sig.c.o' | while read -r object; do
    symbol=${object#build/release/obj/} && [ -e "${symbol%.o}" ] && echo "$object"; done)
  [ -n "$objects" ] || return 0
  while read -r object symbol; do
    echo "${object#build/release/obj/}: calls $symbol, which is not in tests/signal_symbols.txt"
    bad=1
  done < <(awk 'FILENAME ~ /signal_symbols/ { if ($1 != "" && $1 !~ /^#/) known[$1]; next }
                { object = $1; sub(/:.*/, "", object) }
                $(NF - 1) ~ /[Uwv]$/ { user[$NF] = object; next }
                { known[$NF] }
                END { for (symbol in user) if (!(symbol in known)) print user[symbol], symbol }' \
    tests/signal_symbols.txt <(xargs nm -A <<<"$objects"))
  return $bad
}

case ${1:-} in
  includes | signals) "check_$1" >&2 ;;
  *) echo "usage: tests/check.sh includes|signals" >&2; exit 2 ;;
esac
