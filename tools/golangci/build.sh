#!/bin/sh
# Builds golangci-lint into bin/tools/golangci, for check.sh and for editors. Needs only Go; the version is in the go.mod beside this file.
set -eu
cd "$(dirname "$0")/../.."

CGO_ENABLED=0 go build -C tools/golangci -buildvcs=false -o "$PWD/bin/tools/golangci/" github.com/golangci/golangci-lint/v2/cmd/golangci-lint
