#!/usr/bin/env bash
# --profile-format writes what `fino pprof convert` would, under a name that suits it; --profile-view a flame graph beside the
# profile; and the five lines after a run are the first of `fino pprof top`.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cat >script.ts <<'EOF'
function hot(n: number): number { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
let sum = 0;
for (const end = performance.now() + 400; performance.now() < end;) sum += hot(10000);
if (!sum) throw new Error();
EOF
expect_status 0 "$fino" run --profile --profile-view script.ts
expect_only profile.html profile.pb script.ts
sed -n 's/^fino: *\([0-9.]*[mun]*s\) *\([0-9.]*%\)  \(.*\)/\1 \2 \3/p' err >said
"$fino" pprof top --count=5 profile.pb | sed '1,/ flat%/d' | awk '{ first = $1 " " $2; $1 = $2 = $3 = $4 = $5 = ""; sub(/^ */, ""); sub(/ \((partial-)?inline\)$/, ""); print first " " $0 }' >top
[ "$(wc -l <said)" = 5 ] || { cat err >&2; fail 'not five functions'; }
cut -c -90 <said >said.cut # a name that goes on for long is cut in what is said
cut -c -90 <top >top.cut
expect_same said.cut top.cut
[ "$(awk '/^fino: .*%  / { print index($0, "%  ") }' err | sort -u | wc -l)" = 1 ] || fail 'the columns do not line up'
"$fino" pprof flame profile.pb >flame.html
expect_same profile.html flame.html
rm flame.html said top said.cut top.cut

for format in collapsed speedscope.json cpuprofile firefox.json html; do
  expect_status 0 "$fino" run --profile --profile-format=${format%.json} script.ts
  grep -q hot profile.$format || fail "profile.$format says nothing of what ran"
  expect_text err ", $(stat -c %s profile.$format | awk '{ printf "%.1f kB", $1 / 1e3 }')"
  case $format in *json | cpuprofile) node -e 'JSON.parse(fs.readFileSync(process.argv[1]))' profile.$format ;; esac
done
expect_status 0 "$fino" run --profile=once.html --profile-format=html --profile-view script.ts
expect_text err '--profile-view has no effect beside it'
[ ! -e once.html.html ] || fail "a second flame graph"
expect_status 0 "$fino" run --profile=other.txt --profile-format=collapsed script.ts
grep -qE '^main;.*;hot [0-9]+$' other.txt || { head -n 3 other.txt >&2; fail 'not collapsed'; }
expect_status 0 "$fino" run --profile=again.pb --profile-format=pprof script.ts
expect_valid_profile again.pb
rm -f profile.* once.html other.txt again.pb

expect_status 2 "$fino" run --profile --profile-format=svg script.ts
expect_text err 'collapsed, speedscope'
expect_status 2 "$fino" run --profile-view script.ts
expect_text err '--profile-view says how to profile, but --profile is not there'
mkdir profile.html
expect_status 1 "$fino" run --profile --profile-view script.ts
expect_text err 'profile.html: it exists and is not a regular file'
rmdir profile.html
expect_only script.ts

# A name is shown as text on one line, and no longer than a line.
cat >named.mjs <<'EOF'
const name = `\u001b[31m${'x'.repeat(200)}`;
const { [name]: hot } = { [name]: function (n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; } };
Object.defineProperty(hot, 'name', { value: name });
for (const end = performance.now() + 300; performance.now() < end;) hot(10000);
EOF
expect_status 0 "$fino" run --profile named.mjs
! grep -q $'\e' err || fail 'a terminal would obey a name'
[ "$(awk '{ print length }' err | sort -n | tail -n 1)" -lt 170 ] || fail 'a name is shown in full'
