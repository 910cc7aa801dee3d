#!/usr/bin/env bash
# A program that handles SIGINT itself goes on; the profile is written when it ends, with its own exit code.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >script.mjs <<'END'
import { exit, kill, on, pid } from 'fino:process';
on('SIGINT', () => { console.log('handled'); exit(5); });
kill(pid, 'SIGINT');
setTimeout(() => {}, 10_000);
END
expect_status 5 "$fino" run --profile script.mjs
expect_text out handled
expect_only profile.pb script.mjs
expect_valid_profile profile.pb
