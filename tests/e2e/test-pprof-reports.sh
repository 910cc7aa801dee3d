#!/usr/bin/env bash
# `fino pprof` top, peek, tree and diff say of each function what `go tool pprof` says, to the last digit: by function and by
# line, sorted either way, with each filter, of one profile, of the sum of two, and of what one has more than the other.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
expect_status 0 "$fino" run --profile=a.pb --profile-interval=1ms "$programs/allocation.ts"
expect_status 0 "$fino" run --profile=b.pb --profile-interval=1ms "$programs/nbody.ts"

table() { sed -n '/ flat%/,$p' | sed 's/[ \t]*$//'; }

count=0
agree() { # agree "OUR ARGUMENTS" "THEIR ARGUMENTS"; the words are split at spaces
  local ours theirs
  read -ra ours <<<"$1"
  read -ra theirs <<<"$2"
  "$fino" pprof "${ours[@]}" | table >ours || fail "fino pprof $1 fails"
  go tool pprof "${theirs[@]}" 2>/dev/null | table >theirs
  [ "$(wc -l <theirs)" -gt 2 ] || fail "go tool pprof $2 shows nothing"
  cmp -s ours theirs || { diff ours theirs | head -n 20 >&2; fail "fino pprof $1 differs from go tool pprof $2"; }
  count=$((count + 1))
}

for profile in a.pb b.pb; do
  for options in '/' '--cum/-cum' '--by=line/-lines' '--by=line --cum/-lines -cum' '--count=7/-nodecount=7' \
    '--all/-nodefraction=0 -edgefraction=0' '--sample=samples/-sample_index=samples' '--focus=v8/-focus=v8' \
    '--ignore=v8/-ignore=v8' '--hide=^v8::/-hide=^v8::' '--tagfocus=thread=main/-tagfocus=thread=main' \
    '--tagfocus=ma.n/-tagfocus=ma.n' '--tagignore=thread=v8.*/-tagignore=thread=v8.*' \
    '--thread=main/-tagfocus=thread=^main$'; do
    agree "top ${options%%/*} $profile" "-top ${options#*/} $profile"
  done
  agree "tree $profile" "-tree -nodecount=80 -edgefraction=0.001 $profile"
  agree "peek e $profile" "-peek e $profile"
done
agree 'top a.pb b.pb' '-top a.pb b.pb'
agree 'diff a.pb b.pb' '-top -diff_base=a.pb b.pb'
agree 'diff --cum b.pb a.pb' '-top -cum -diff_base=b.pb a.pb'
"$fino" pprof merge -o sum.pb a.pb b.pb
expect_valid_profile sum.pb
agree 'top sum.pb' '-top a.pb b.pb'
echo "$count reports agree with pprof's"

# The sum of one thread's and of all others' CPU time is that of all, in JSON too.
"$fino" pprof top --json --all a.pb >all.json
"$fino" pprof tags --json a.pb >tags.json
node -e '
  const all = JSON.parse(fs.readFileSync("all.json")), tags = JSON.parse(fs.readFileSync("tags.json"));
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  const threads = tags.filter((tag) => tag.key === "thread");
  if (threads.length < 2 || sum(threads.map((tag) => tag.sum)) !== all.total) throw new Error("threads: " + JSON.stringify(tags));
  if (sum(all.rows.map((row) => row.flat)) !== all.total) throw new Error("rows do not add up");
'

# Formats for other tools: the stacks are those of the profile.
"$fino" pprof convert --to=collapsed a.pb | awk '{ sum += $NF } END { printf "%.0f\n", sum }' >collapsed
"$fino" pprof convert --to=speedscope a.pb >speedscope.json
"$fino" pprof convert --to=json a.pb >plain.json
node -e '
  const read = (file) => JSON.parse(fs.readFileSync(file));
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  const { total } = read("all.json"), speedscope = read("speedscope.json"), plain = read("plain.json");
  if (Number(fs.readFileSync("collapsed")) !== total) throw new Error("collapsed");
  if (sum(speedscope.profiles.map((p) => p.endValue)) !== total) throw new Error("speedscope");
  for (const p of speedscope.profiles) {
    if (p.samples.length !== p.weights.length || sum(p.weights) !== p.endValue) throw new Error(p.name);
    if (p.samples.some((stack) => stack.some((i) => !speedscope.shared.frames[i]))) throw new Error(`frames of ${p.name}`);
  }
  if (sum(plain.samples.map((s) => s.value)) !== total || plain.total !== total) throw new Error("json");
'

# What is wrong is said, with the exit code: 1 for files, 2 for the command line.
"$fino" pprof check a.pb b.pb >out
expect_text out 'b.pb: valid'
echo 'no profile' >text
expect_status 1 "$fino" pprof top text
expect_text err 'text is not a pprof profile'
head -c 1000 a.pb >cut.pb
expect_status 1 "$fino" pprof check cut.pb
expect_text err 'cut.pb is not a pprof profile: gzip'
expect_status 1 "$fino" pprof top missing.pb
expect_text err 'cannot read missing.pb: No such file'
expect_status 1 "$fino" pprof top .
expect_text err 'Is a directory'
expect_status 1 "$fino" pprof peek 'no such function' a.pb
expect_status 1 "$fino" pprof top --sample=heap a.pb
expect_text err 'only of samples, cpu'
expect_status 1 "$fino" pprof top '--focus=(' a.pb
expect_text err 'not a regular expression'
expect_status 2 "$fino" pprof top --count=many a.pb
expect_status 2 "$fino" pprof top
expect_text err 'usage: fino pprof top'
expect_status 2 "$fino" pprof tops a.pb
expect_status 2 "$fino" pprof top --frobnicate a.pb
expect_status 2 "$fino" pprof diff a.pb
expect_status 1 "$fino" pprof top -o /dev/full a.pb
expect_status 0 "$fino" pprof --help
# What is read may be written; what can't be made leaves the file that is there.
cp a.pb both.pb
"$fino" pprof merge -o both.pb both.pb b.pb
agree 'top both.pb' '-top a.pb b.pb'
cp a.pb kept.pb
expect_status 1 "$fino" pprof merge -o kept.pb a.pb text
expect_same a.pb kept.pb
expect_status 1 "$fino" pprof top -o missing/top.txt a.pb
expect_text err 'cannot write missing/top.txt: No such file'
"$fino" pprof top - <a.pb | table >ours
"$fino" pprof top a.pb | table >theirs
expect_same ours theirs
