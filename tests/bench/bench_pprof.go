// bench_pprof.go: the workload of bench_pprof.c through Go's own encoder of profiles (github.com/google/pprof/profile,
// Debian: golang-github-google-pprof-dev) and Go's gzip.
//
//	bench_pprof_go FILE LEVEL
//
// Equal stacks are counted in a map by the stack's bytes first, as Go's runtime does by a hash of them.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

const (
	stackCount    = 100000
	depth         = 40
	sampleCount   = 1000000
	functionCount = 8000
)

func usage() (cpu time.Duration, peakBytes int64) {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), used.Maxrss * 1024
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newProfile() *profile.Profile {
	mapping := &profile.Mapping{ID: 1, Start: 0x400000, Limit: 0x800000, File: "/usr/bin/program",
		BuildID: "0123456789abcdef", HasFunctions: true}
	result := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:     1000000,
		Mapping:    []*profile.Mapping{mapping},
	}
	for i := 0; i < functionCount; i++ {
		name := fmt.Sprintf("module%d.function%d", i/40, i)
		function := &profile.Function{ID: uint64(i + 1), Name: name, SystemName: name,
			Filename: fmt.Sprintf("/home/user/project/src/module%d.ts", i/40), StartLine: int64(i%40*25 + 1)}
		result.Function = append(result.Function, function)
		result.Location = append(result.Location, &profile.Location{ID: uint64(i + 1), Mapping: mapping,
			Address: uint64(0x400000 + i*64), Line: []profile.Line{{Function: function, Line: int64(i%40*25 + 7)}}})
	}
	return result
}

func addSamples(result *profile.Profile, work []byte) {
	samples := make(map[string]*profile.Sample)
	labels := map[string][]string{"thread": {"main"}}
	order := work[stackCount*depth*4:]
	for i := 0; i < sampleCount; i++ {
		begin := int(binary.LittleEndian.Uint32(order[4*i:])) * depth * 4
		stack := work[begin : begin+depth*4]
		sample := samples[string(stack)]
		if sample == nil {
			sample = &profile.Sample{Value: []int64{0, 0}, Label: labels, Location: make([]*profile.Location, depth)}
			for at := range sample.Location {
				sample.Location[at] = result.Location[binary.LittleEndian.Uint32(stack[4*at:])]
			}
			samples[string(stack)] = sample
			result.Sample = append(result.Sample, sample)
		}
		sample.Value[0]++
		sample.Value[1] += int64(1000000 + i%1000)
	}
}

func main() {
	work, err := os.ReadFile(os.Args[1])
	check(err)
	level, err := strconv.Atoi(os.Args[2])
	check(err)
	started, _ := usage()
	result := newProfile()
	addSamples(result, work)
	added, _ := usage()
	var plain, packed bytes.Buffer
	check(result.WriteUncompressed(&plain))
	encoded, _ := usage()
	writer, err := gzip.NewWriterLevel(&packed, level)
	check(err)
	_, err = writer.Write(plain.Bytes())
	check(err)
	check(writer.Close())
	compressed, peakBytes := usage()
	ms := func(duration time.Duration) float64 { return float64(duration.Microseconds()) / 1000 }
	check(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"who": "Go's profile package", "add_ms": ms(added - started), "encode_ms": ms(encoded - added),
		"gzip_ms": ms(compressed - encoded), "total_ms": ms(compressed - started), "stacks": len(result.Sample),
		"plain_bytes": plain.Len(), "gzip_bytes": packed.Len(), "peak_bytes": peakBytes}))
	if len(os.Args) > 3 {
		check(os.WriteFile(os.Args[3], packed.Bytes(), 0o644))
	}
}
