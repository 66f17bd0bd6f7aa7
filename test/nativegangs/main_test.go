package nativegangs

import (
	"context"
	"fmt"
	"os"
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

// What all tests share. They run one after the other, as they share the nodes: two with 32 CPUs each.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	objects    dynamic.Interface
	controller *launch.Process
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 2, ComponentArgs: cluster.NativeGangs}); err != nil {
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
	return startController(ctx, s)
}

// startController starts it with the configuration that we ship, and the plugin for native gangs.
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
	config := strings.Replace(string(shipped), "\nplugins:\n", "\nframeworkMinRetryDelaySecForTransientConflictFailed: 1\nframeworkMaxRetryDelaySecForTransientConflictFailed: 10\n"+
		"\nplugins:\n- {name: workload, kind: SchedulerHints, command: hints-workload, parameters: {form: v1alpha1}}\n", 1)
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
