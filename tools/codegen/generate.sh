#!/bin/sh
# Regenerates what is derived from pkg/apis: deep copies, the CRD manifest, the typed client and docs/reference/api.md.
# Needs only Go; the generators and their versions are in the go.mod beside this file.
set -eu
cd "$(dirname "$0")/../.."

module=github.com/frameworkcontroller/frameworkcontroller
api=frameworkcontroller/v1
tools=$PWD/bin/tools/codegen
client=$module/pkg/client

go build -C tools/codegen -buildvcs=false -o "$tools/" tool ./openapi

"$tools/controller-gen" object paths=./pkg/apis/...

"$tools/controller-gen" crd paths=./pkg/apis/... output:crd:dir="$tools/crd"
# The rule about metadata.name points at that field, which the generator leaves undeclared.
sed 's/^          metadata:$/&\n            properties:\n              name:\n                type: string/' \
	"$tools/crd/frameworkcontroller.microsoft.com_frameworks.yaml" >deploy/crd/frameworks.yaml
"$tools/openapi" deploy/crd/frameworks.yaml $module/pkg/apis/$api >"$tools/openapi.json"

"$tools/crd-ref-docs" --log-level ERROR --renderer markdown --source-path pkg/apis --max-depth 50 \
	--config tools/codegen/reference/config.yaml --templates-dir tools/codegen/reference \
	--output-path docs/reference/api.md

cd pkg/client
rm -rf applyconfiguration clientset listers informers
"$tools/applyconfiguration-gen" --go-header-file /dev/null \
	--openapi-schema "$tools/openapi.json" \
	--output-dir applyconfiguration --output-pkg $client/applyconfiguration \
	$module/pkg/apis/$api
"$tools/client-gen" --go-header-file /dev/null \
	--clientset-name versioned --input-base $module/pkg/apis --input $api \
	--apply-configuration-package $client/applyconfiguration \
	--output-dir clientset --output-pkg $client/clientset
"$tools/lister-gen" --go-header-file /dev/null \
	--output-dir listers --output-pkg $client/listers \
	$module/pkg/apis/$api
"$tools/informer-gen" --go-header-file /dev/null \
	--versioned-clientset-package $client/clientset/versioned --listers-package $client/listers \
	--output-dir informers --output-pkg $client/informers \
	$module/pkg/apis/$api
