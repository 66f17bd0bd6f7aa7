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

// off is a cluster of the newest Kubernetes whose API server is asked for the API, and has the feature gate off.
var off *gangs.World

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

// prepare leaves it to the plugin to find out which API each cluster has.
func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	const plugin = "- {name: workload, kind: SchedulerHints, command: hints-workload}"
	for name, e := range ends {
		o := cluster.Options{Release: e.release, ComponentArgs: cluster.NativeGangs(e.release)}
		if e.world, err = gangs.Start(ctx, s, o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := e.world.StartController(ctx, plugin); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	asked := cluster.Options{ComponentArgs: map[string][]string{"kube-apiserver": {"--runtime-config=scheduling.k8s.io/v1beta1=true"}}}
	if off, err = gangs.Start(ctx, s, asked); err != nil {
		return err
	}
	return off.StartController(ctx, plugin)
}
