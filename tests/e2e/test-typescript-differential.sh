#!/usr/bin/env bash
# The eraser agrees with typescript and amaro on a slice of the cases and of the corpus. tests/ts/run.sh takes all of it.
exec "$(dirname "$0")/../ts/run.sh" --slice
