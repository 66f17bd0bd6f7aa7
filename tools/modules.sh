#!/bin/sh
# Lists the modules that have code of ours: the main one, and the tools that are more than a go.mod.
set -eu
cd "$(dirname "$0")/.."

echo .
for file in tools/*/go.mod; do
	module=${file%/go.mod}
	[ -z "$(find "$module" -name '*.go' -print -quit)" ] || echo "$module"
done
