package coscheduling

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

var world *gangs.World

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) error {
	scheduler, err := cluster.Tool(ctx, os.Stderr, cluster.Coscheduling)
	if err != nil {
		return err
	}
	if world, err = gangs.Start(ctx, s, cluster.Options{}); err != nil {
		return err
	}
	if err := defineGroups(ctx); err != nil {
		return err
	}
	if err := startScheduler(scheduler, s.Dir); err != nil {
		return err
	}
	return world.StartController(ctx, "- {name: coscheduling, kind: SchedulerHints, command: hints-coscheduling}")
}

func defineGroups(ctx context.Context) error {
	source, err := cluster.ToolSource(ctx, cluster.Coscheduling)
	if err != nil {
		return err
	}
	crd, err := os.ReadFile(filepath.Join(source, "config/crd/bases/scheduling.x-k8s.io_podgroups.yaml"))
	if err != nil {
		return err
	}
	return world.Define(ctx, string(crd))
}

// configuration has one profile, under the plugin's default name, as in the manual of scheduler-plugins.
const configuration = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: KUBECONFIG, qps: 1000, burst: 1000}
profiles:
- schedulerName: scheduler-plugins-scheduler
  plugins:
    multiPoint: {enabled: [{name: Coscheduling}]}
    queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: "*"}]}
  pluginConfig:
  - {name: Coscheduling, args: {permitWaitingTimeSeconds: 5}}
`

func startScheduler(binary, dir string) error {
	path := filepath.Join(dir, "scheduler.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(configuration, "KUBECONFIG", world.Kube.Kubeconfig, 1)), 0o644); err != nil {
		return err
	}
	return world.Beside(launch.Options{Binary: binary, Dir: dir, Args: []string{"--config=" + path, "--secure-port=0",
		"--pod-max-in-unschedulable-pods-duration=1s"}}) // Pods put aside are looked at again, every 30 s
}
