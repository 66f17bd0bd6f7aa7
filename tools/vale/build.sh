#!/bin/sh
# Builds Vale into bin/vale/vale, unless the one there was made of the files that are here now. Needs only Go; its version is in the
# go.mod beside this file.
#
# Vale reads the comments of programs with parsers written in C. The pages need none of them, so two of its files are left
# out, without_parsers.go takes their place, and no C compiler is needed.
set -eu
cd "$(dirname "$0")/../.."

stamp=$(cat tools/vale/go.mod tools/vale/go.sum tools/vale/without_parsers.go.txt tools/vale/build.sh | cksum)
[ "$(cat bin/vale/stamp 2>/dev/null)" != "$stamp" ] || exit 0

source=$PWD/bin/vale/source
# What comes from the module cache may not be written, and so not removed.
remove_source() {
	[ ! -d "$source" ] || { chmod -R u+w "$source" && rm -r "$source"; }
}
trap remove_source EXIT

mkdir -p bin/vale
go mod download -C tools/vale github.com/vale-cli/vale/v3
remove_source
cp -r "$(go list -C tools/vale -m -f '{{.Dir}}' github.com/vale-cli/vale/v3)" "$source"
chmod -R u+w "$source"
rm "$source/internal/lint/code_ts.go" "$source/internal/lint/fragment.go"
cp tools/vale/without_parsers.go.txt "$source/internal/lint/without_parsers.go"

cp tools/vale/go.mod tools/vale/go.sum bin/vale/
go mod edit -replace "github.com/vale-cli/vale/v3=$source" bin/vale/go.mod
CGO_ENABLED=0 go build -C tools/vale -buildvcs=false -modfile="$PWD/bin/vale/go.mod" -o "$PWD/bin/vale/vale" github.com/vale-cli/vale/v3/cmd/vale
rm bin/vale/go.mod bin/vale/go.sum
echo "$stamp" >bin/vale/stamp
