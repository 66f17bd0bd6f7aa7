package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/crds"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// world is shared by all tests. Each scheduler has nodes of its own, on which its stories follow each other.
var world *gangs.World

// configurations are the configurations of the schedulers. Each has room for six Pods that ask for a third of a node; HiveD has a further
// node for one virtual cluster alone.
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
metadata: {name: open}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: small}
spec: {capability: {cpu: 15}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: closed}
`

const plugins = `
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
	if world, err = gangs.Start(ctx, s, cluster.Options{Nodes: 7}); err != nil {
		return err
	}
	if err := installVolcano(ctx); err != nil {
		return err
	}
	if err := startSchedulers(ctx, s); err != nil {
		return err
	}
	return world.StartController(ctx, plugins) // Frameworks choose one of them
}

func installVolcano(ctx context.Context) error {
	for _, kind := range []crds.CRD{crds.VolcanoPodGroup, crds.VolcanoQueue} {
		text, err := kind.Read(ctx, os.Stderr)
		if err != nil {
			return err
		}
		if err := world.Define(ctx, string(text)); err != nil {
			return err
		}
	}
	return world.Apply(ctx, queues)
}

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
		if err := world.Beside(launch.Options{
			Binary: binary, Args: []string{"-scheduler", name, "-config", file}, Dir: s.Dir, Log: filepath.Join(s.Dir, name+".log"),
		}); err != nil {
			return err
		}
	}
	return nil
}
