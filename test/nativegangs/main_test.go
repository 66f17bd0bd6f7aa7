package nativegangs

import (
	"context"
	"fmt"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// end is a cluster of one Kubernetes, with a controller. Its tests run one after the other, as they share the nodes.
type end struct {
	api
	release cluster.Release
	world   *gangs.World
}

var ends = map[string]*end{
	"oldest": {api: v1alpha1, release: cluster.Oldest},
	"newest": {api: v1beta1, release: cluster.Newest},
}

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

// prepare leaves it to the plugin to find out which API each cluster has.
func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	for name, e := range ends {
		o := cluster.Options{Release: e.release, ComponentArgs: cluster.NativeGangs(e.release)}
		if e.world, err = gangs.Start(ctx, s, o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := e.world.StartController(ctx, "- {name: workload, kind: SchedulerHints, command: hints-workload}"); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
