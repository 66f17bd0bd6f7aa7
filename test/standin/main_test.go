package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// patience is how long a test waits for something that takes a second or so on an idle machine.
const patience = 90 * time.Second

// What all tests share. Each scheduler has nodes of its own, on which its stories follow each other.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	objects    dynamic.Interface
	controller *launch.Process
)

// configurations are those of the schedulers. Each has room for six Pods that ask for a third of a node; HiveD has a node
// besides that one virtual cluster has for itself.
var configurations = map[string]string{
	"volcano": `nodes: [node-0, node-1]`,
	"hived": `
nodes:
  node-2: {leafCellType: V100, cells: 6}
  node-3: {leafCellType: V100, cells: 6}
  node-4: {leafCellType: K80, cells: 6, pinnedCellId: VC2-PIN}
virtualClusters:
  VC1: {cells: {V100: 12}}
  VC2: {cells: {K80: 0}, pinnedCellIds: [VC2-PIN]}
`,
	"yunikorn": `
nodes: [node-5, node-6]
queues: {root.small: 15}
completingSec: 2
`,
}

const queues = `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: small}
spec: {capability: {cpu: 15}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: closed}
status: {state: Closed}
`

const plugins = `
plugins:
- {name: volcano, kind: SchedulerHints, command: hints-volcano}
- {name: hived, kind: SchedulerHints, command: hints-hived, parameters: {virtualCluster: VC1}}
- {name: yunikorn, kind: SchedulerHints, command: hints-yunikorn}
`

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	// The schedulers wait more than they work.
	if err := flag.Set("test.parallel", fmt.Sprint(len(configurations))); err != nil {
		return err
	}
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 7}); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	if objects, err = dynamic.NewForConfig(kube.Config); err != nil {
		return err
	}
	if err := installVolcano(ctx); err != nil {
		return err
	}
	if err := startSchedulers(ctx, s); err != nil {
		return err
	}
	return startController(ctx, s)
}

func installVolcano(ctx context.Context) error {
	for _, step := range [][]string{
		{"create", "-f", "volcano.yaml"},
		{"wait", "--for=condition=Established", "--timeout=60s", "-f", "volcano.yaml"},
	} {
		if out, err := kube.Command(ctx, kube.Kubectl, step...).CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl %v: %w\n%s", step, err, out)
		}
	}
	create := kube.Command(ctx, kube.Kubectl, "create", "-f", "-")
	create.Stdin = strings.NewReader(queues)
	if out, err := create.CombinedOutput(); err != nil {
		return fmt.Errorf("creating queues: %w\n%s", err, out)
	}
	return nil
}

// standins are the processes of the schedulers.
var standins = map[string]*launch.Process{}

func startSchedulers(ctx context.Context, s *clustertest.Setup) error {
	binary := filepath.Join(s.Dir, "standin")
	if err := clustertest.Build(ctx, binary, "."); err != nil {
		return err
	}
	for name, config := range configurations {
		file := filepath.Join(s.Dir, name+".yaml")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			return err
		}
		p, err := launch.Controller(kube, launch.Options{
			Binary: binary, Args: []string{"-scheduler", name, "-config", file}, Dir: s.Dir, Log: filepath.Join(s.Dir, name+".log"),
		})
		if err != nil {
			return err
		}
		standins[name] = p
	}
	s.AtEnd(func() error {
		for name, p := range standins {
			if p.Kill(); p.EndedByItself() {
				return fmt.Errorf("the stand-in for %s has ended: %s", name, p.Tail(1000))
			}
		}
		return nil
	})
	return nil
}

// startController starts it with the configuration that we ship, and a plugin for each scheduler. Frameworks choose.
func startController(ctx context.Context, s *clustertest.Setup) error {
	binary, err := clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram)
	if err != nil {
		return err
	}
	if _, err := clustertest.Install(ctx, s.Dir, clustertest.PluginPrograms); err != nil {
		return err
	}
	shipped, err := os.ReadFile("../../example/config/default/frameworkcontroller.yaml")
	if err != nil {
		return err
	}
	// What competes in vain tries again soon.
	config := strings.Replace(string(shipped), "\nplugins:\n", "\nframeworkMinRetryDelaySecForTransientConflictFailed: 1\n"+
		"frameworkMaxRetryDelaySecForTransientConflictFailed: 5\n"+plugins, 1)
	if config == string(shipped) {
		return fmt.Errorf("the configuration has no list of plugins")
	}
	controller, err = launch.Controller(kube, launch.Options{Binary: binary, Dir: s.Dir + "/work", Config: config})
	if err != nil {
		return err
	}
	s.AtEnd(func() error {
		_, err := controller.Terminate(patience)
		return err
	})
	return nil
}
