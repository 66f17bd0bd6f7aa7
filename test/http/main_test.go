// Package http runs what the manual says of HTTP and Python, as it stands there, against a real API server and a controller. Each
// program is refused what the account of the manual may not do.
//
// What the manual has in Java is not run, as that takes a library that no package of Debian has. That each operation has its
// piece of Java is looked at.
//
// Python's client of Kubernetes comes from Debian's archive; where that cannot be reached, the test says so and skips. With
// -short, all are skipped.
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

// What the tests share. They run one after the other, as each has the Framework and the account of the manual.
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
