#!/bin/sh
# Runs every fuzz test of the main module, those of two packages at a time, as one fuzz test keeps little more than one processor busy.
# Usage: tools/fuzz.sh <time or number of inputs for each, as 1m or 5000x>
# With CORPUS=none it neither begins with the inputs that earlier runs have found, nor keeps what it finds.
set -eu

# The inner call: tools/fuzz.sh package <time or number> <corpus> <folder for what is built> <package>
if [ "$1" = package ]; then
	budget=$2 corpus=$3 work=$4/$5
	mkdir -p "$work"
	# One build for all fuzz tests of a package, as linking takes as long as fuzzing for some seconds.
	go test -c -fuzz . -o "$work/fuzz.test" "$5"
	cd "$5"
	"$work/fuzz.test" -test.list '^Fuzz' | grep '^Fuzz' | while read -r name; do
		# What is printed comes at the end, in one piece.
		"$work/fuzz.test" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$budget" -test.fuzzminimizetime 10x \
			-test.fuzzcachedir "$corpus/$5" -test.timeout 0 </dev/null >"$work/log" 2>&1 && ended= || ended="FAILED "
		printf '%sfuzzing %s %s for %s\n%s\n' "$ended" "$5" "$name" "$budget" "$(cat "$work/log")"
		[ -z "$ended" ]
	done
	exit
fi

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=$work/corpus
[ "${CORPUS-}" = none ] || corpus=$(go env GOCACHE)/fuzz/$(go list -m)
grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -r -n1 dirname | sort -u |
	xargs -r -P 2 -n 1 tools/fuzz.sh package "$1" "$corpus" "$work"
