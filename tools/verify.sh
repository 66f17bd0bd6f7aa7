#!/bin/sh
# Regenerates and fails if that changed any file. Other changes in the working tree do not matter to it.
set -eu
cd "$(dirname "$0")/.."

checksums() {
	git ls-files -z --cached --others --exclude-standard | xargs -0 sha256sum 2>/dev/null | sort -u || true
}

before=$(mktemp)
after=$(mktemp)
trap 'rm -f "$before" "$after"' EXIT
checksums >"$before"
tools/codegen/generate.sh
tools/proto/generate.sh
checksums >"$after"
if ! cmp -s "$before" "$after"; then
	echo "make generate changes:"
	comm -3 "$before" "$after" | awk '{print "  " $2}' | sort -u
	exit 1
fi
