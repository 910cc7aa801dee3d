#!/usr/bin/env bash
# The flame graph in a real browser: numbers after hovering, clicking, searching, filtering; hostile names are shown and not
# run; the page is small, and draws 100,000 stacks. SCREENSHOT=FILE keeps a picture.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
(cd "$root" && tests/npm.sh pprof-format)
for kind in small base large; do node "$root/tests/flame/make.mjs" $kind $kind.pb; done
"$fino" pprof flame -o small.html small.pb
"$fino" pprof flame -o diff.html --base base.pb small.pb
"$fino" pprof flame -o large.html large.pb
timeout 120 node "$root/tests/flame/flame.mjs" "$work/small.html" "$work/diff.html" "$work/large.html"

# The page itself, without the data.
page=$(cat "$root"/src/runtime/flame/* | wc -c)
echo "the page without data: $page bytes; of 100,000 stacks: $(wc -c <large.html)"
[ "$page" -lt 150000 ] || fail 'the page is larger than 150 kB'
! grep -qE '(src|href)=|https?://' "$root"/src/runtime/flame/* || fail 'the page refers to something outside of it'
