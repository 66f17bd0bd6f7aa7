#!/bin/sh
# Vendors what the page of the history server needs of others into pkg/history/page/static/vendor: one ES module each, with its licence.
# Without npm, or where npm reaches no registry, it only checks that the files are those of vendored.sha256, and says so.
set -eu
cd "$(dirname "$0")"

out=../../pkg/history/page/static/vendor
modules=../../bin/web

# install: the versions of package-lock.json, without running their scripts; nothing if they are there already.
install() {
	command -v npm >/dev/null || { echo "tools/web: there is no npm"; return 1; }
	cmp -s package-lock.json "$modules/package-lock.json" && return
	mkdir -p "$modules"
	cp package.json package-lock.json "$modules"
	npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund --loglevel=error || { rm -f "$modules/package-lock.json"; return 1; }
}

if [ "${1-}" = install ]; then
	install
	exit
fi
if install; then
	node vendor.mjs "$modules/node_modules" "$out"
	(cd "$out" && sha256sum -- *) >vendored.sha256
else
	echo "tools/web: nothing is vendored anew; checking what is there"
	(cd "$out" && sha256sum --check --quiet) <vendored.sha256
fi
