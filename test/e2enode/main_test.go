package e2enode

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

// patience is how long a test waits for something that takes some seconds on an idle machine.
var patience = machine.Within(3 * time.Minute)

var required = flag.Bool("required", false, "fail, instead of skipping, where the machine cannot run a node")

// Shared by all tests.
var (
	kube       *cluster.Cluster
	real       *node.Node
	core       kubernetes.Interface
	frameworks versioned.Interface
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("skipping: needs a node")
		return
	}
	flag.Set("test.parallel", "24") // the tests mostly wait
	os.Exit(node.Isolate(node.Isolation{
		Tools:    "../../bin/tools",
		Required: *required,
		Prepare:  prepareImages,
	}, func() int { return clustertest.Run(m, prepare) }))
}

func prepareImages(ctx context.Context) error {
	return errors.Join(product().Prepare(ctx), buildMPIImage())
}

// prepare starts the node, and the controller on it.
func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, node.ControlPlane()); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	start := time.Now()
	if real, err = node.Start(ctx, kube); err != nil {
		return err
	}
	fmt.Printf("starting a node ... %.1f s\n", time.Since(start).Seconds())
	if err := real.LoadImage(ctx, mpiArchive); err != nil {
		return err
	}
	if err := installController(ctx); err != nil {
		return err
	}
	s.AtEnd(checkLog)
	return nil
}

// leaseMayBeLost is set by a test that kills the API server: a controller that could not renew its lease meanwhile ends, with an error.
var leaseMayBeLost atomic.Bool

// checkLog requires that the controller has logged no errors.
func checkLog() error {
	var bad strings.Builder
	for line := range strings.Lines(controllerLog("[ERROR]")) {
		if !leaseMayBeLost.Load() || !strings.Contains(line, ".election: the lease was lost") {
			bad.WriteString(line)
		}
	}
	if bad.Len() > 0 {
		return fmt.Errorf("the controller logged:\n%s", &bad)
	}
	return nil
}
