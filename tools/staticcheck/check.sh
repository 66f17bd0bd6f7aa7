#!/bin/sh
# Runs staticcheck over our code: the main module, and the tools that have code of their own. Needs only Go; the version
# of staticcheck is in the go.mod beside this file. What it finds and is right is marked at its place: //lint:ignore, with why.
set -eu
cd "$(dirname "$0")/../.."

analyser=$PWD/bin/tools/staticcheck/staticcheck
go build -C tools/staticcheck -buildvcs=false -o "$analyser" honnef.co/go/tools/cmd/staticcheck

echo "staticcheck: . without pkg/client/informers, which informer-gen writes with deprecated fields of client-go"
go list ./... | grep -v '/pkg/client/informers/' | xargs "$analyser"
for module in tools/codegen tools/images tools/proto tools/volcano; do
	echo "staticcheck: $module"
	(cd "$module" && "$analyser" ./...)
done
