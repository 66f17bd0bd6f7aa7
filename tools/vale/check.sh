#!/bin/sh
# Checks the English of the pages, of the comments of exported identifiers and of the strings in Go that are sentences. Errors
# fail; of warnings the numbers are printed. All findings are left in bin/vale/findings.txt, a line each.
#
#   tools/vale/check.sh                    everything
#   tools/vale/check.sh FILE|FOLDER...     these alone, with their warnings (SUGGESTIONS=1: with matters of taste, too)
#
# A sentence that is right as it is stands between <!-- vale off --> and <!-- vale on -->, or its rule is mended, with an example
# in testdata/right.md.
#
# left-out.txt has the pages that are not checked.
set -eu
cd "$(dirname "$0")/../.."

tools/vale/build.sh
CGO_ENABLED=0 go build -C tools/vale -buildvcs=false -o ../../bin/vale/gotext ./gotext
rm -rf bin/vale/text
mkdir bin/vale/text

vale() { # prints file:line:column:severity:rule:text
	bin/vale/vale --config tools/vale/vale.ini --no-wrap --no-exit --output=tools/vale/findings.tmpl "$@" >bin/vale/raw
	sed 's,^[^:]*bin/vale/text/\([^:]*\)\.go\.md:,\1.go:,; s,^\./,,; s,:FrameworkController\.,:,; s,:Vale\.,:,' bin/vale/raw |
		sort -t : -k 1,1 -k 2,2n -k 3,3n
}

if [ $# -gt 0 ]; then
	level=warning
	[ -z "${SUGGESTIONS:-}" ] || level=suggestion
	bin/vale/gotext -out bin/vale/text "$@"
	vale --minAlertLevel=$level "$@" bin/vale/text
	exit
fi

bin/vale/gotext -out bin/vale/text cmd pkg plugins
sed 's/ *#.*//' tools/vale/left-out.txt | grep . >bin/vale/left-out
pages=$(find ./*.md deploy/chart/README.md docs example plugins/README.md test/README.md -name '*.md' | sed 's,^\./,,' | grep -vxFf bin/vale/left-out | sort)

# shellcheck disable=SC2086 # the names have no spaces
vale $pages bin/vale/text >bin/vale/findings.txt

awk -F: '
	$4 != "error" { warnings++; of[$5]++; next }
	{ print; fails++ }
	END {
		for (rule in of) list = list " " rule " " of[rule]
		if (warnings) print "vale: " warnings " warnings:" list "; see bin/vale/findings.txt"
		if (fails) print "vale: " fails " errors"
		exit fails > 0
	}' bin/vale/findings.txt
