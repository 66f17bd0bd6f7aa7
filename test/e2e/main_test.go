package e2e

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// patience is how long a test waits for something that takes a second or so on an idle machine.
var patience = machine.Within(90 * time.Second)

var (
	seed    = flag.Int64("seed", time.Now().UnixNano()%1000, "chooses the points at which the controller is killed")
	keepLog = flag.String("keep-log", "", "file for the log of the controller; without it, the log goes with the cluster")
)

// Shared by all tests.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	raw        dynamic.NamespaceableResourceInterface // Frameworks that need not fit the types
	controller *process
	seen       *recorder
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

// prepare starts the controller, and the recorder before there is anything to see.
func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	flag.Set("test.parallel", "24") // the tests mostly wait
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 3}); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	raw = client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural))
	if controller, err = newProcess(ctx, kube.Dir); err != nil {
		return err
	}
	if err := controller.start(); err != nil {
		return err
	}
	s.AtEnd(endController)
	if err := awaitFrameworks(ctx); err != nil {
		return fmt.Errorf("waiting for the controller to define Frameworks: %w", err)
	}
	seen, err = startRecorder(ctx)
	return err
}

// endController requires that the controller ends on a signal, and has logged no errors.
func endController() error {
	if _, err := controller.terminate(); err != nil {
		return fmt.Errorf("the controller ended with %w", err)
	}
	for _, bad := range []string{"[ERROR]", "DATA RACE"} {
		if lines := controller.logOf(bad, 20); lines != "" {
			return fmt.Errorf("the controller logged:\n%s", lines)
		}
	}
	return nil
}

func awaitFrameworks(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		_, err := raw.List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil, nil
	})
}
