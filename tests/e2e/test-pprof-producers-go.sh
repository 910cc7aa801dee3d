#!/usr/bin/env bash
# Profiles that Go's runtime makes, all kinds of them, mean to us what they mean to pprof.
# TIMEOUT: 200
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/producers.sh"
export GOCACHE=$work/go-cache GO111MODULE=off
go build -o go_profiles "$root/tests/fixtures/go_profiles.go"
./go_profiles profiles
all_same_as_ours 12 2000
