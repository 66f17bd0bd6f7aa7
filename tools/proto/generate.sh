#!/bin/sh
# Regenerates the Go side of the plugins' contract, pkg/plugin/pluginpb/plugin.proto, and its page, docs/reference/plugin-contract.md.
# Needs only Go; the generators and their versions are in the go.mod beside this file.
set -eu
cd "$(dirname "$0")/../.."

tools=$PWD/bin/tools/proto

go build -C tools/proto -buildvcs=false -o "$tools/" . tool
"$tools/proto" . pkg/plugin/pluginpb/plugin.proto "$tools/protoc-gen-go" "$tools/protoc-gen-go-grpc"
"$tools/proto" reference . pkg/plugin/pluginpb/plugin.proto pkg/plugin/testdata/fields.txt docs/reference/plugin-contract.md

# The example in another language has a copy, so that it is complete by itself.
cp pkg/plugin/pluginpb/plugin.proto example/plugin/node-classifier/proto/plugin.proto
