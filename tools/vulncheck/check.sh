#!/bin/sh
# Looks for known vulnerabilities in what our code calls, in each module that has some.
# Exits with 1 if there are any, and with 0 if the database cannot be reached before one is found, which it says.
# Needs only Go; the version of the scanner is in the go.mod beside this file. Usage: tools/vulncheck/check.sh [URL of
# the database]
#
# Modules that only build the programs of others, such as the control plane and the schedulers for tests and Helm, are left out:
# these programs never leave the machine of a developer, and going through the calls of Kubernetes takes 8 GB of memory.
set -eu
cd "$(dirname "$0")/../.."

database=${1:-https://vuln.go.dev}
scanner=$PWD/bin/tools/vulncheck/govulncheck
go build -C tools/vulncheck -buildvcs=false -o "$scanner" golang.org/x/vuln/cmd/govulncheck

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
found=0
for module in $(tools/modules.sh); do
	echo "vulncheck: $module"
	code=0
	"$scanner" -C "$module" -db "$database" ./... 2>"$errors" || code=$?
	case $code in
	0) ;;
	3) found=1 ;; # which the scanner has told
	*)
		if grep -q 'fetching vulnerabilities' "$errors"; then
			echo "vulncheck: no further, as the database cannot be reached: $(head -n 1 "$errors")"
			exit $found
		fi
		cat "$errors" >&2
		exit "$code"
		;;
	esac
done
exit $found
