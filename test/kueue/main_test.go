package kueue

import (
	"context"
	"os"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

var world *gangs.World

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) error {
	program, err := cluster.Tool(ctx, os.Stderr, cluster.Kueue)
	if err != nil {
		return err
	}
	if world, err = gangs.Start(ctx, s, cluster.Options{}); err != nil {
		return err
	}
	k := manager{program: program, dir: s.Dir}
	if k.port, err = cluster.FreePort(); err != nil {
		return err
	}
	if err := k.install(ctx); err != nil {
		return err
	}
	if err := k.start(ctx); err != nil {
		return err
	}
	if err := createFlavors(ctx); err != nil {
		return err
	}
	return world.StartController(ctx, plugin)
}

// createFlavors waits until Kueue serves its webhooks.
func createFlavors(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, gangs.Patience)
	defer cancel()
	return clustertest.Poll(ctx, func(ctx context.Context) error { return world.Apply(ctx, flavors) })
}

// flavors are the flavors of all queues. The plugin gets the labels of a flavor's nodes by its parameters, because a Workload only names
// the flavor.
const flavors = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: second-node}
spec: {nodeLabels: {kubernetes.io/hostname: node-1}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: racks}
spec:
  nodeLabels: {kubernetes.io/os: linux}
  topologyName: nodes
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: nodes}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: low}
value: 1
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
`

const plugin = `
- name: kueue
  kind: SchedulerHints
  command: hints-kueue
  parameters:
    flavors: {default: {}, second-node: {nodeSelector: {kubernetes.io/hostname: node-1}}, racks: {}}
    workloadPriorities: {low: 1}
    priorities: {high: 1000}`
