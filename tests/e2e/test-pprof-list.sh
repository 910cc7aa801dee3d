#!/usr/bin/env bash
# `fino pprof list` shows the lines of a function with what each has cost, to the letter as `go tool pprof -list` does; in JSON
# too. Source that is not there, or is younger than the profile, is said to be, and costs are shown without it.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
cp "$programs/nbody.ts" program.ts
expect_status 0 "$fino" run --profile=a.pb --profile-interval=1ms program.ts
expect_status 0 "$fino" run --profile=b.pb --profile-interval=1ms program.ts

same_list() { # same_list "OUR ARGUMENTS" "THEIR ARGUMENTS"; the words are split at spaces
  local ours theirs
  read -ra ours <<<"$1"
  read -ra theirs <<<"$2"
  "$fino" pprof list "${ours[@]}" >ours || fail "fino pprof list $1 fails"
  go tool pprof "${theirs[@]}" >theirs 2>pprof.err || { cat pprof.err >&2; fail "go tool pprof $2 fails"; }
  [ "$(grep -cE '^ +[0-9.]+[mnu]?s .*:' theirs)" -ge 2 ] || { cat theirs >&2; fail "go tool pprof $2 shows nothing"; }
  expect_same ours theirs
}
same_list 'advance a.pb' '-list advance a.pb'
same_list '--hide=^v8:: (advance|energy)$ a.pb b.pb' '-hide=^v8:: -list (advance|energy)$ a.pb b.pb'
same_list '--sample=cpu --thread=main (advance|energy)$ a.pb' '-sample_index=cpu -tagfocus=thread=^main$ -list (advance|energy)$ a.pb'

# The lines' own costs are the function's: in JSON, and by top's word.
"$fino" pprof list --json '^advance$' a.pb >list.json
"$fino" pprof top --json --all a.pb >top.json
node -e '
  const [list, top] = ["list.json", "top.json"].map((file) => JSON.parse(fs.readFileSync(file)));
  const routine = list.routines[0], row = top.rows.find(({ name }) => name === "advance");
  const source = fs.readFileSync("program.ts", "utf8").split("\n");
  const sum = routine.lines.reduce((sum, { flat }) => sum + flat, 0);
  if (list.routines.length !== 1 || routine.flat !== row.flat || sum !== row.flat || list.total !== top.total) throw new Error("sums");
  if (!routine.hasSource || routine.isNewer || !routine.file.endsWith("/program.ts")) throw new Error("source");
  for (const { line, text } of routine.lines) if (text !== source[line - 1]) throw new Error(`line ${line}: ${text}`);
  fs.writeFileSync("hot", String(routine.lines.reduce((a, b) => (a.flat > b.flat ? a : b)).line));
'

touch -d '+1 hour' program.ts
"$fino" pprof list '^advance$' a.pb >out
expect_text out 'program.ts was changed after the profile was taken'
"$fino" pprof list --json '^advance$' a.pb >out
expect_text out '"isNewer":true'

# The first half of the file: the lines that are missing keep their cost.
head -n "$(($(<hot) - 1))" "$programs/nbody.ts" >program.ts
"$fino" pprof list '^advance$' a.pb >out
grep -qE "s +$(<hot):$" out || fail "line $(<hot), which the file has no more, has lost its cost"
rm program.ts
"$fino" pprof list '^advance$' a.pb >out
expect_text out 'program.ts: No such file or directory'
grep -qE "s +$(<hot):$" out || fail 'without source the costs are not shown'
mkfifo program.ts
expect_status 0 timeout 10 "$fino" pprof list '^advance$' a.pb
"$fino" pprof list --json '^advance$' a.pb >list.json
node -e '
  const { routines: [routine] } = JSON.parse(fs.readFileSync("list.json"));
  if (routine.hasSource || routine.lines.reduce((sum, { flat }) => sum + flat, 0) !== routine.flat) throw new Error(JSON.stringify(routine));
'
expect_status 1 "$fino" pprof list 'no such function' a.pb
expect_text err 'no function matches'
expect_status 1 "$fino" pprof list '(' a.pb
expect_text err 'not a regular expression'
expect_status 2 "$fino" pprof list advance
expect_text err 'usage: fino pprof list'
