#!/bin/sh
# Makes a kind cluster with the controller of this checkout, or removes it: kind.sh up, kind.sh down.
# KIND_CLUSTER names the cluster, KIND_IMAGE the image of its node, and VERSION the tag of the images.
# The kubeconfig is bin/kind/kubeconfig; that of the user stays as it is.
set -eu
cd "$(dirname "$0")/../.."

cluster=${KIND_CLUSTER:-frameworkcontroller}
version=${VERSION:-dev}
kubeconfig=$PWD/bin/kind/kubeconfig

fail() {
	echo "kind: $1" >&2
	exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# What is missing is reported before anything is done.
need_kind() {
	has kind || fail "there is no kind on the PATH: see https://kind.sigs.k8s.io; make cluster-up needs neither kind nor containers"
	if [ -z "${KIND_EXPERIMENTAL_PROVIDER-}" ] && ! has docker; then
		has podman || fail "there is neither docker nor podman on the PATH: kind runs nodes in them"
		export KIND_EXPERIMENTAL_PROVIDER=podman
	fi
	engine=${KIND_EXPERIMENTAL_PROVIDER:-docker}
	"$engine" info >/dev/null 2>&1 || fail "$engine does not answer: start it, or get the permission to use it; $engine info shows the error"
}

# exists reads all of the list, so that kind is not cut off while it writes.
exists() { kind get clusters 2>/dev/null | awk -v name="$cluster" '$0 == name { found = 1 } END { exit !found }'; }

architecture() {
	case $(uname -m) in
	x86_64 | amd64) echo amd64 ;;
	aarch64 | arm64) echo arm64 ;;
	*) fail "there are no images for $(uname -m)" ;;
	esac
}

up() {
	need_kind
	has helm || fail "there is no helm on the PATH: see https://helm.sh"
	arch=$(architecture)
	! exists || fail "the cluster $cluster exists already: make kind-down removes it, and KIND_CLUSTER names another one"
	"${MAKE:-make}" images VERSION="$version" ARCH="$arch"
	mkdir -p "$(dirname "$kubeconfig")"
	kind create cluster --name "$cluster" --kubeconfig "$kubeconfig" --wait 5m ${KIND_IMAGE:+--image "$KIND_IMAGE"}
	for image in frameworkcontroller frameworkbarrier frameworkhistory; do
		kind load image-archive "bin/images/$image-$arch.tar" --name "$cluster"
	done
	# One controller is enough for one node; Pods of the namespace default may use the barrier.
	helm install frameworkcontroller deploy/chart --kubeconfig "$kubeconfig" --namespace frameworkcontroller --create-namespace \
		--set image.tag="$version" --set history.image.tag="$version" --set replicaCount=1 --set 'barrier.namespaces={default}' --wait --timeout 5m
	cat <<END

The controller runs in the kind cluster $cluster. Next:

  export KUBECONFIG=$kubeconfig
  kubectl apply -f example/framework/batchsucceeded.yaml
  kubectl get frameworks --watch

To keep the history of Frameworks, too, whose server is loaded already:

  helm upgrade frameworkcontroller deploy/chart --namespace frameworkcontroller --reuse-values --set history.enabled=true

make kind-down removes the cluster.
END
}

down() {
	need_kind
	kind delete cluster --name "$cluster" --kubeconfig "$kubeconfig"
	rm -rf bin/kind
}

case ${1-} in
up | down) "$1" ;;
*) fail "use kind.sh up or kind.sh down" ;;
esac
