package cluster

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Release is a release of Kubernetes for a cluster. Its module under tools/ pins the patch version.
type Release string

// The oldest and the newest tested release. The controller's own libraries have the newest.
const (
	Newest Release = ""
	Oldest Release = "1.35"
)

// suffix distinguishes the modules and the programs of a release from others.
func (r Release) suffix() string {
	if r == Newest {
		return ""
	}
	return "-" + string(r)
}

// tool is a program that is built from one of the Go modules under tools/.
type tool struct {
	name    string // name of the binary
	module  string // folder under tools/
	pkg     string // the main package
	source  string // module that holds pkg; its version in go.mod is the version of the tool
	ldflags string // VERSION is replaced by that version
	release Release
}

const kubernetesVersion = "-X k8s.io/component-base/version.gitVersion=VERSION"

// toolset lists the tools that a cluster of a release needs, the slowest build first.
func toolset(r Release) []tool {
	return []tool{
		kubernetesTool(r, "kube-apiserver"),
		kubernetesTool(r, "kube-controller-manager"),
		kubernetesTool(r, "kube-scheduler"),
		kubernetesTool(r, "kubectl"),
		{name: "etcd", module: "etcd", pkg: "go.etcd.io/etcd/server/v3", source: "go.etcd.io/etcd/server/v3"},
		{name: "kwok", module: "kwok", pkg: "sigs.k8s.io/kwok/cmd/kwok", source: "sigs.k8s.io/kwok"},
		{name: "kwokctl", module: "kwok", pkg: "sigs.k8s.io/kwok/cmd/kwokctl", source: "sigs.k8s.io/kwok"},
	}
}

// Tools that only some tests need. The kubelet is of the oldest release: a node may be older than its control plane, and not
// newer.
const (
	Kubelet      = "kubelet-" + string(Oldest)
	Coscheduling = "kube-scheduler-coscheduling" // kube-scheduler with that plugin
	Kueue        = "kueue"                       // its manager
	Helm         = "helm"
	CoreDNS      = "coredns" // with the plugins needed for a cluster's own names

	ControllerGen = "controller-gen" // makes CRDs of Go types
)

var onRequest = []tool{
	kubernetesTool(Oldest, "kubelet"),
	{name: Coscheduling, module: "coscheduling", pkg: "sigs.k8s.io/scheduler-plugins/cmd/scheduler", source: "sigs.k8s.io/scheduler-plugins"},
	{name: Kueue, module: "kueue", pkg: "sigs.k8s.io/kueue/cmd/kueue", source: "sigs.k8s.io/kueue"},
	{name: CoreDNS, module: "coredns", pkg: "github.com/frameworkcontroller/frameworkcontroller/tools/coredns", source: "github.com/coredns/coredns"},
	{name: Helm, module: "helm", pkg: "helm.sh/helm/v4/cmd/helm", source: "helm.sh/helm/v4"},
	{name: ControllerGen, module: "codegen", pkg: "sigs.k8s.io/controller-tools/cmd/controller-gen", source: "sigs.k8s.io/controller-tools"},
}

func kubernetesTool(r Release, name string) tool {
	return tool{
		name:    name + r.suffix(),
		module:  "kubernetes" + r.suffix(),
		pkg:     "k8s.io/kubernetes/cmd/" + name,
		source:  "k8s.io/kubernetes",
		ldflags: kubernetesVersion,
		release: r,
	}
}

// version returns the version that the tool's module pins.
func (t tool) version(root checkout) (string, error) {
	path := filepath.Join(root.toolsModule(t.module), "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	match := regexp.MustCompile(`(?m)^(?:require)?\s+` + regexp.QuoteMeta(t.source) + ` (v\S+)`).FindSubmatch(text)
	if match == nil {
		return "", fmt.Errorf("%s does not require %s", path, t.source)
	}
	return string(match[1]), nil
}

// pinned reports whether a module pins the tool's version, so that it can be fetched and built. For other releases, only installed programs
// are used.
func (t tool) pinned(root checkout) bool {
	_, err := os.Stat(filepath.Join(root.toolsModule(t.module), "go.mod"))
	return err == nil
}

// stamp identifies the inputs of a build of the tool: it changes with the version of the tool, of its dependencies, and of the way it is
// built.
func (t tool) stamp(root checkout) (string, error) {
	if !t.pinned(root) {
		return "not pinned", nil
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "{%s %s %s %s %s}\n", t.name, t.module, t.pkg, t.source, t.ldflags)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root.toolsModule(t.module), name))
		if err != nil {
			return "", err
		}
		hash.Write(text)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

func (t tool) stampFile(root checkout) string { return root.tool("." + t.name + ".stamp") }

// there reports whether the binary exists in the version that its module pins now, or in one that was accepted instead.
func (t tool) there(root checkout) (bool, error) {
	want, err := t.stamp(root)
	if err != nil {
		return false, err
	}
	got, _ := os.ReadFile(t.stampFile(root))
	_, err = os.Stat(root.tool(t.name))
	return err == nil && strings.TrimSpace(string(got)) == want, nil
}
