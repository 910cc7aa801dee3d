#!/usr/bin/env bash
# The console prints what Node's does: one program that prints values in many ways, run under both.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
command -v node >/dev/null || skip "node is not installed"
unset NO_COLOR FORCE_COLOR NODE_DISABLE_COLORS
program=$root/tests/fixtures/console-like-node.mjs
node "$program" >node.out 2>node.err
"$fino" run "$program" >fino.out 2>fino.err
expect_same node.out fino.out
expect_same node.err fino.err
