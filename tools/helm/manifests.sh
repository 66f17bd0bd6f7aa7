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
	printf '%s\n' "# Made by make manifests, from deploy/chart.${about:+
$about}" "$made" >"$file.new" && mv "$file.new" "$file"
}

about=
render deploy/install.yaml --include-crds --set namespace.create=true
for plugin in hints.coscheduling hints.kueue hints.volcano hints.workload classifiers.nodes classifiers.events; do
	file=$(echo "$plugin" | tr . /).yaml
	render "deploy/$file" --show-only "templates/$file" --set "rbac.$plugin=true"
done
render deploy/ssh/secrets.yaml --show-only templates/ssh/secrets.yaml --set rbac.ssh=true
render deploy/volumes/claims.yaml --show-only templates/volumes/claims.yaml --set rbac.volumes=true
render deploy/flow-schema.yaml --show-only templates/flow-schema.yaml --set flowSchema.enabled=true
# The certificate is none that Helm makes: it would differ each time, and its key would be public.
history=
for part in network-policy roles server service service-account; do
	history="$history --show-only templates/history/$part.yaml"
done
about='#
# The history server, for an installation without Helm. docs/operations/install-history.md has the commands for each step:
#
# 1. Create the Secret frameworkcontroller-history-tls and the ConfigMap frameworkcontroller-history, with its certificate.
# 2. kubectl apply -f deploy/history.yaml
# 3. Add deploy/history/plugin.yaml to the plugins in the configuration of the controller, and ../deploy/history to the
#    components of your kustomization.'
render deploy/history.yaml $history --set history.enabled=true --set history.tls.secretName=frameworkcontroller-history-tls
about="#
# For logs in the history, without Helm: docs/operations/install-history.md has the steps."
render deploy/history/logs.yaml --show-only templates/history/logs.yaml --set history.enabled=true --set history.logs.enabled=true
about=
render deploy/barrier/role.yaml --show-only templates/barrier.yaml --set 'barrier.namespaces={default}'
render deploy/monitoring.yaml --show-only templates/monitoring/service-monitor.yaml --show-only templates/monitoring/rules.yaml \
	--show-only templates/monitoring/dashboard.yaml --set monitoring.serviceMonitor.enabled=true \
	--set monitoring.rules.enabled=true --set monitoring.dashboard.enabled=true
