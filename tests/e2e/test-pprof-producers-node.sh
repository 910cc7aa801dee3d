#!/usr/bin/env bash
# Profiles of what the npm world writes them with mean to us what they mean to pprof: what @datadog/pprof samples of a program
# (time with labels, heap), and one that pprof-format is told to write.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/producers.sh"
(cd "$root" && tests/npm.sh pprof-format @datadog/pprof node-gyp-build source-map)
NODE_PATH=$root/build/npm node "$root/tests/fixtures/node_profiles.cjs" profiles

node --input-type=module >profiles/pprof-format <<END
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
all_same_as_ours 6 5000
