// Package http runs the programs of the manual on HTTP and Python unchanged, against a real API server and a controller. Each program is
// refused everything that the account of the manual may not do.
//
// The manual's Java is not run, because it needs a library that no package of Debian has. The test only checks that each operation has its
// piece of Java.
//
// The examples of platforms in example/wrapper are run here, too, by an account with the same rights.
//
// Python's client of Kubernetes comes from Debian's archive; without access to it, the test is skipped. With -short, all are skipped.
package http

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	typed "github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/typed/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const (
	namespace = "default" // as in the manual
)

// patience is how long a test waits for something that takes a second or so on an idle machine.
var patience = machine.Within(60 * time.Second)

// Shared by the tests. They run one after the other, because each has the Framework and the account of the manual.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks typed.FrameworkInterface
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

// prepare starts a cluster with all that is installed for users, and a controller.
func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 1}); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	clients, err := versioned.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	frameworks = clients.FrameworkControllerV1().Frameworks(namespace)
	if out, err := kube.Command(ctx, kube.Kubectl, "apply", "-k", "../../deploy").CombinedOutput(); err != nil {
		return fmt.Errorf("installing: %w\n%s", err, out)
	}
	_, err = s.ShippedController(ctx, kube, nil)
	return err
}
