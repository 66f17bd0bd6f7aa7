package cluster

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

//go:embed stages.yaml
var stages string

// kwokctl starts the components of a cluster: it makes the certificates, and starts etcd, the API server, the controller manager, the
// scheduler and kwok as processes that outlive it.
type kwokctl struct {
	root    checkout
	home    *home
	release Release
	args    map[string][]string // Options.ComponentArgs
}

func (k kwokctl) create(ctx context.Context) error {
	ports, err := claimPorts()
	if err != nil {
		return err
	}
	defer ports.release()
	config, err := k.config(ports)
	if err != nil {
		return err
	}
	if err := os.WriteFile(k.home.path("kwokctl.yaml"), config, 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, k.root.tool("kwokctl"), "create", "cluster", "--name", k.home.name(),
		"--config", k.home.path("kwokctl.yaml"), "--kubeconfig", k.home.path("kubeconfig"), "--timeout", "2m", "--wait", "2m")
	cmd.Dir = k.home.dir
	cmd.Env = k.env(os.Environ())
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kwokctl: %w\n%s", err, output)
	}
	return nil
}

// env drops variables that would change kwokctl's defaults. kwokctl and the components inherit the mark from it. kwokctl takes a kubectl
// from PATH, and would download one if there were none.
func (k kwokctl) env(base []string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(v string) bool {
		return strings.HasPrefix(v, "KWOK_") || strings.HasPrefix(v, "KUBECONFIG=") || strings.HasPrefix(v, "PATH=")
	})
	return append(env, k.home.mark(),
		"PATH="+k.root.tools()+":"+os.Getenv("PATH"),
		"KWOK_WORKDIR="+k.home.dir)
}

// config renders the KwokctlConfiguration, and the Stages after it.
func (k kwokctl) config(ports *portBlock) ([]byte, error) {
	var out bytes.Buffer
	err := yaml.NewEncoder(&out).Encode(map[string]any{
		"apiVersion":        "config.kwok.x-k8s.io/v1alpha1",
		"kind":              "KwokctlConfiguration",
		"options":           k.options(ports),
		"componentsPatches": k.patches(),
	})
	if err != nil {
		return nil, err
	}
	out.WriteString("---\n")
	out.WriteString(stages)
	return out.Bytes(), nil
}

// options name every port, and the address. kwokctl would choose the same ports for two clusters that start at once, and
// all addresses.
func (k kwokctl) options(ports *portBlock) map[string]any {
	of := k.release.suffix()
	return map[string]any{
		"runtime":                     "binary",
		"bindAddress":                 "127.0.0.1",
		"disableQPSLimits":            true,
		"etcdBinary":                  k.root.tool("etcd"),
		"kubeApiserverBinary":         k.root.tool("kube-apiserver" + of),
		"kubeControllerManagerBinary": k.root.tool("kube-controller-manager" + of),
		"kubeSchedulerBinary":         k.root.tool("kube-scheduler" + of),
		"kwokControllerBinary":        k.root.tool("kwok"),
		"kubectlBinary":               k.root.tool("kubectl" + of),
		"etcdPort":                    ports.port(0),
		"etcdPeerPort":                ports.port(1),
		"kubeApiserverPort":           ports.port(2),
		"kubeControllerManagerPort":   ports.port(3),
		"kubeSchedulerPort":           ports.port(4),
		"kwokControllerPort":          ports.port(5),
	}
}

// apiServerArgs make the API server independent of the machine's network: otherwise it wants a default route, to
// announce an address that it does not listen on.
var apiServerArgs = []string{"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none"}

// leaseArgs let leaders bear an API server that is away, or slow, for less than a minute: nothing restarts a component that has lost its
// lease. Without leases it would end sooner, unless the API server has started within ten seconds.
var leaseArgs = []string{"--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=50s"}

func (k kwokctl) patches() []map[string]any {
	patches := []map[string]any{
		patch("kube-apiserver", apiServerArgs),
		patch("kube-controller-manager", leaseArgs),
		patch("kube-scheduler", leaseArgs),
	}
	for component, flags := range k.args {
		patches = append(patches, patch(component, flags))
	}
	return patches
}

// patch turns flags of the form --name=value into kwokctl's pairs.
func patch(component string, flags []string) map[string]any {
	var pairs []map[string]string
	for _, flag := range flags {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		pairs = append(pairs, map[string]string{"key": name, "value": value})
	}
	return map[string]any{"name": component, "extraArgs": pairs}
}
