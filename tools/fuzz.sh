#!/bin/sh
# Runs every fuzz test of the main module, one after the other. Usage: tools/fuzz.sh <time or number of inputs for each, as 1m or 5000x>
set -eu
cd "$(dirname "$0")/.."

binaries=$(mktemp -d)
trap 'rm -rf "$binaries"' EXIT
corpus=$(go env GOCACHE)/fuzz/$(go list -m)
packages=$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -r -n1 dirname | sort -u)

# One build for all fuzz tests of a package, as linking takes as long as fuzzing for some seconds. Two at a time, as most of
# it is linking, which keeps one processor busy.
echo "$packages" | xargs -r -P 2 -I{} go test -c -fuzz . -o "$binaries/{}/" {}

for package in $packages; do
	(
		cd "$package"
		binary=$(echo "$binaries/$package"/*.test)
		"$binary" -test.list '^Fuzz' | grep '^Fuzz' | while read -r name; do
			echo "fuzzing $package $name for $1"
			"$binary" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$1" -test.fuzzminimizetime 10x \
				-test.fuzzcachedir "$corpus/$package" -test.timeout 0 </dev/null
		done
	)
done
