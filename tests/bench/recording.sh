#!/usr/bin/env bash
# What starting and stopping a recording takes with 10,000 functions compiled, and what 10,000 cycles leave behind.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
"$fino" run "$root/tests/bench/recording.mjs" &
program=$!
while kill -0 "$program" 2>/dev/null; do
  find "/proc/$program/fd" -mindepth 1 2>/dev/null | wc -l >>descriptors
  sleep 0.2
done
wait "$program"
echo "file descriptors while it ran: $(sort -n descriptors | sed '/^0$/d' | sed -n '1p;$p' | xargs | sed 's/ / to /')"
"$root/tests/npm.sh" && node "$root/tests/programs/prepare.mjs"
for ms in 1 30 100; do RECORDING_MS=$ms "$fino" run "$root/tests/bench/recording_load.mjs"; done
