#!/bin/sh
# Regenerates and fails if that changed any file. Other changes in the working tree do not matter to it.
set -eu
cd "$(dirname "$0")/.."

files=$(mktemp)
before=$(mktemp)
after=$(mktemp)
trap 'rm -f "$files" "$before" "$after"' EXIT

# The list by itself, since a git that refuses to look at somebody else's checkout is not to pass for one that finds nothing.
# Files that are deleted, but not yet for git, are none.
checksums() {
	git ls-files -z --cached --others --exclude-standard >"$files"
	{ xargs -0 -r sha256sum <"$files" 2>/dev/null || true; } | sort -u
}

checksums >"$before"
"${MAKE:-make}" --no-print-directory generate
checksums >"$after"
if ! cmp -s "$before" "$after"; then
	echo "make generate changes:"
	comm -3 "$before" "$after" | awk '{print "  " $2}' | sort -u
	exit 1
fi
