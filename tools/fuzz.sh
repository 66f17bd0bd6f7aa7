#!/bin/sh
# Runs every fuzz test of the main module, one after the other. Usage: tools/fuzz.sh <time or number of inputs for each, as 1m or 5000x>
# With CORPUS=none it neither begins with the inputs that earlier runs have found, nor keeps what it finds.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
binary=$work/fuzz.test
corpus=$work/corpus
[ "${CORPUS-}" = none ] || corpus=$(go env GOCACHE)/fuzz/$(go list -m)

# One build for all fuzz tests of a package, as linking takes as long as fuzzing for some seconds.
grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -r -n1 dirname | sort -u | while read -r dir; do
	go test -c -fuzz . -o "$binary" "$dir"
	(
		cd "$dir"
		"$binary" -test.list '^Fuzz' | grep '^Fuzz' | while read -r name; do
			echo "fuzzing $dir $name for $1"
			"$binary" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$1" -test.fuzzminimizetime 10x \
				-test.fuzzcachedir "$corpus/$dir" -test.timeout 0 </dev/null
		done
	)
done
