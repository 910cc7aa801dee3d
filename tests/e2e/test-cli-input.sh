#!/usr/bin/env bash
# Standard input is read to its end from a pipe, a file, nothing, and when it is closed.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

cat > count.mjs <<'JS'
import { stdin } from 'fino:process';
let count = 0;
for await (const chunk of stdin) count += chunk.length;
console.log(count);
JS
head -c 3000000 /dev/zero > zeros
[ "$("$fino" run count.mjs < zeros)" = 3000000 ] || fail "a file"
[ "$(cat zeros | "$fino" run count.mjs)" = 3000000 ] || fail "a pipe"
[ "$( (sleep 0.2; echo x) | "$fino" run count.mjs)" = 2 ] || fail "a slow pipe"
[ "$("$fino" run count.mjs < /dev/null)" = 0 ] || fail "nothing"
echo 'console.log(1)' > unread.mjs
mkfifo fifo
exec 9<> fifo # somebody who could write, and does not
expect_status 0 timeout 5 "$fino" run unread.mjs < fifo
[ "$("$fino" run count.mjs <&-)" = 0 ] || fail "closed"
