#!/bin/sh
# Makes the plain manifests in deploy/ from the chart in deploy/chart, and puts into the chart what it has of elsewhere: the
# CRD, and the default configuration. Needs only Go; the version of Helm is in the go.mod beside this file.
set -eu
cd "$(dirname "$0")/../.."

helm=$PWD/bin/tools/manifests/helm
CGO_ENABLED=0 go build -C tools/helm -buildvcs=false -ldflags '-s -w' -o "$helm" helm.sh/helm/v4/cmd/helm

cp deploy/crd/frameworks.yaml deploy/chart/crds/frameworks.yaml
cp example/config/default/frameworkcontroller.yaml deploy/chart/frameworkcontroller.yaml

# render <file>, then flags: what helm template prints becomes that file, in one step.
render() {
	file=$1
	shift
	# So it has no empty lines at its end, of which Helm leaves as many as there are other templates.
	made=$("$helm" template frameworkcontroller deploy/chart --namespace frameworkcontroller "$@")
	printf '%s\n' "# Made by make manifests, from deploy/chart." "$made" >"$file.new" && mv "$file.new" "$file"
}

render deploy/install.yaml --include-crds --set namespace.create=true
for plugin in hints.coscheduling hints.kueue hints.volcano hints.workload classifiers.nodes; do
	file=$(echo "$plugin" | tr . /).yaml
	render "deploy/$file" --show-only "templates/$file" --set "rbac.$plugin=true"
done
render deploy/ssh/secrets.yaml --show-only templates/ssh/secrets.yaml --set rbac.ssh=true
render deploy/flow-schema.yaml --show-only templates/flow-schema.yaml --set flowSchema.enabled=true
render deploy/barrier/role.yaml --show-only templates/barrier.yaml --set 'barrier.namespaces={default}'
render deploy/monitoring.yaml --show-only templates/monitoring/service-monitor.yaml --show-only templates/monitoring/rules.yaml \
	--show-only templates/monitoring/dashboard.yaml --set monitoring.serviceMonitor.enabled=true \
	--set monitoring.rules.enabled=true --set monitoring.dashboard.enabled=true
