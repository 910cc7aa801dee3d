#!/usr/bin/env bash
# Output is whole however the script ends, and errors of writing are the script's to see.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

cat > much.mjs <<'JS'
import { exit } from 'fino:process';
for (let i = 0; i < 20000; i++) console.log(`${i} ${'x'.repeat(50)} ä€😀`);
exit(0);
JS
expect_status 0 "$fino" run much.mjs
[ "$(wc -l < out)" = 20000 ] || fail "lines are missing in a file"
[ "$("$fino" run much.mjs | (sleep 0.3; tail -n 1))" = "19999 $(printf 'x%.0s' $(seq 50)) ä€😀" ] || fail "lines are missing in a pipe"

echo "import { stdout } from 'fino:process'; stdout.write('x');" > write.mjs
status=0
"$fino" run write.mjs > /dev/full 2> err || status=$?
[ "$status" = 1 ] || fail "a full disk gave exit code $status"
expect_text err 'ENOSPC'
expect_text err 'write.mjs:1:'
cat > closed.mjs <<'JS'
import { stdout } from 'fino:process';
try { for (;;) stdout.write('y\n'); } catch (error) { console.error(error.code); }
JS
set +o pipefail
"$fino" run closed.mjs 2> err | head -n 1 > /dev/null
expect_text err EPIPE
echo "import { stdout } from 'fino:process'; stdout.write(new Uint8Array([0, 255, 10])); stdout.write('\ud800\n')" > bytes.mjs
[ "$("$fino" run bytes.mjs | od -An -tx1 | tr -d ' \n')" = 00ff0aefbfbd0a ] || fail "bytes were changed"
