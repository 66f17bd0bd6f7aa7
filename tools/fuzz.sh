#!/bin/sh
# Runs every fuzz test of the main module, one after the other. Usage: tools/fuzz.sh <time or number of inputs for each, as 1m or 5000x>
set -eu
cd "$(dirname "$0")/.."

grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -r -n1 dirname | sort -u | while read -r dir; do
	go test "$dir" -list '^Fuzz' | grep '^Fuzz' | while read -r name; do
		echo "fuzzing $dir $name for $1"
		go test "$dir" -run '^$' -fuzz "^$name\$" -fuzztime "$1" -fuzzminimizetime 10x </dev/null
	done
done
