#!/usr/bin/env bash
# Profiles of other producers (all that Go's runtime makes, what `go tool pprof` writes, npm's pprof-format) are valid by our
# check, and what we make of them is canonical and says the same: pprof prints equal tables of both for each sample type, and
# prints ours exactly as what it makes of ours itself.
# TIMEOUT: 300
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
(cd "$root" && ./build.sh program tests/fixtures/pprof_reencode.c "$work/reencode" >/dev/null && tests/npm.sh pprof-format)
export GOCACHE=$work/go-cache GO111MODULE=off
go build -o go_profiles "$root/tests/fixtures/go_profiles.go"
mkdir profiles
./go_profiles profiles

node --input-type=module >profiles/node-pprof-format <<END
import { Profile, StringTable, ValueType, Sample, Location, Line, Function, Label } from '$root/build/npm/pprof-format/dist/esm/index.js';
const stringTable = new StringTable(), text = (string) => stringTable.dedup(string);
const locations = [], functions = [];
for (let id = 1; id <= 300; id++) {
  functions.push(new Function({ id, name: text('f' + id), systemName: text('f' + id), filename: text('file' + (id % 7)), startLine: id }));
  locations.push(new Location({ id, line: [new Line({ functionId: id, line: id + 2 })] }));
}
const sample = [];
for (let i = 0; i < 900; i++)
  sample.push(new Sample({ locationId: [1 + i % 300, 1 + i % 11, 1 + i % 3], value: [1 + i, -i],
    label: [new Label({ key: text('thread'), str: text('worker ' + i % 4) }), new Label({ key: text('bytes'), num: i, numUnit: text('bytes') })] }));
const type = (name, unit) => new ValueType({ type: text(name), unit: text(unit) });
process.stdout.write(new Profile({ sampleType: [type('samples', 'count'), type('wall', 'nanoseconds')], sample, location: locations,
  function: functions, stringTable, timeNanos: 1700000000000000000n, durationNanos: 5000000000n, periodType: type('wall', 'nanoseconds'), period: 10000 }).encode());
END

count=0 lines=0
pprof() { go tool pprof "$@" 2>>warnings; }
for profile in profiles/*; do
  pprof -proto -output theirs.pb.gz "$profile" >/dev/null
  for input in "$profile" theirs.pb.gz; do
    ./reencode "$input" >ours.pb.gz || fail "$input is not read"
    for index in $(seq 0 $(($(pprof -raw "$profile" | sed -n '/^Samples:$/{n;p;q}' | wc -w) - 1))); do
      pprof -traces -symbolize=none -sample_index="$index" "$input" | sed 1,/---/d | sort >theirs.traces
      pprof -traces -symbolize=none -sample_index="$index" ours.pb.gz | sed 1,/---/d | sort >ours.traces
      expect_same theirs.traces ours.traces
      pprof -top -symbolize=none -nodefraction=0 -sample_index="$index" "$input" | grep -v '^File:' | sort >theirs.top
      pprof -top -symbolize=none -nodefraction=0 -sample_index="$index" ours.pb.gz | grep -v '^File:' | sort >ours.top
      expect_same theirs.top ours.top
      lines=$((lines + $(wc -l <theirs.traces) + $(wc -l <theirs.top)))
    done
    pprof -raw -symbolize=none ours.pb.gz >ours.raw
    pprof -proto -symbolize=none -output again.pb.gz ours.pb.gz >/dev/null
    pprof -raw -symbolize=none again.pb.gz >again.raw
    expect_same ours.raw again.raw
    count=$((count + 1))
  done
done
echo "$count profiles, $lines lines of theirs are ours too"
[ $count -ge 14 ] && [ $lines -gt 5000 ]
