#!/bin/sh
# Runs golangci-lint over the modules that have code of ours; .golangci.yaml has what is kept of its linters.
set -eu
cd "$(dirname "$0")/../.."

tools/golangci/build.sh
linter=$PWD/bin/tools/golangci/golangci-lint

for module in $(tools/modules.sh); do
	echo "golangci-lint: $module"
	(cd "$module" && "$linter" run --allow-parallel-runners --config "$OLDPWD/.golangci.yaml" ./...)
done
