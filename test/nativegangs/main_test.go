package nativegangs

import (
	"context"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

var world *gangs.World

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if world, err = gangs.Start(ctx, s, cluster.NativeGangs); err != nil {
		return err
	}
	return world.StartController(ctx, "{name: workload, kind: SchedulerHints, command: hints-workload, parameters: {form: v1alpha1}}")
}
