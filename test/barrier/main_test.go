// Package barrier tests the barrier's binary against a real API server, as a process for each Pod. It has the environment that the real
// controller gives to that Pod, and the token of a ServiceAccount that may read Frameworks only.
//
// The nodes are simulated. No container runs, so a Pod has its address although its barrier runs beside it, and the work of a kubelet (the
// volume, the token in the Pod's file system, the exit code in the Pod's status) is not tested here but in test/e2enode.
package barrier

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const (
	namespace = "default"
)

var (
	// patience is how long a test waits for something that takes a second or so on an idle machine.
	patience = machine.Within(90 * time.Second)
	// patienceAfterOutage is the same after the API server was away: its clients may come back a minute or two late, above all the
	// simulated kubelets.
	patienceAfterOutage = machine.Within(4 * time.Minute)
)

// The cluster with a controller, which most tests share; each uses a Framework of its own.
var (
	shared     *world
	binary     string // the barrier
	controller string // its binary
)

// world is a cluster and its clients.
type world struct {
	*cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	audit      clustertest.AuditLog // all requests for Frameworks
}

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	flag.Set("test.parallel", "24") // the tests mostly wait
	if shared, err = newWorld(s.Dir); err != nil {
		return err
	}
	s.AtEnd(shared.Stop)
	if binary, err = clustertest.Install(ctx, s.Dir, clustertest.BarrierProgram); err != nil {
		return err
	}
	if controller, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram); err != nil {
		return err
	}
	stop, err := shared.startController()
	if err != nil {
		return err
	}
	s.AtEnd(func() error {
		stop()
		return nil
	})
	return nil
}

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  resources: [{group: frameworkcontroller.microsoft.com}]
  users: ["system:serviceaccount:default:barrier", "system:serviceaccount:default:getter"]
- level: None
`

// newWorld starts a cluster whose API server logs the barriers' requests, in a file below dir.
func newWorld(dir string) (*world, error) {
	dir, err := os.MkdirTemp(dir, "audit-")
	if err != nil {
		return nil, err
	}
	flags, audit, err := clustertest.Audit(dir, auditPolicy)
	if err != nil {
		return nil, err
	}
	c, err := cluster.Start(context.Background(), cluster.Options{Nodes: 3, ComponentArgs: map[string][]string{
		"kube-apiserver": append(flags, "--audit-log-mode=blocking"),
	}})
	if err != nil {
		return nil, err
	}
	w := &world{Cluster: c, audit: audit}
	if w.core, err = kubernetes.NewForConfig(c.Config); err != nil {
		return nil, err
	}
	if w.frameworks, err = versioned.NewForConfig(c.Config); err != nil {
		return nil, err
	}
	return w, w.createAccounts()
}

// startController runs the controller's binary with the configuration that we ship, but without plugins.
func (w *world) startController() (stop func(), err error) {
	p, err := launch.Controller(w.Cluster, launch.Options{
		Binary: controller, Dir: filepath.Join(w.Dir, "controller"), Config: "largeFrameworkCompression: true\n",
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = clustertest.Poll(ctx, func(ctx context.Context) error {
		_, err := w.frameworks.FrameworkControllerV1().Frameworks(namespace).List(ctx, metav1.ListOptions{})
		return err
	})
	if err != nil {
		p.Kill()
		return nil, fmt.Errorf("waiting for the controller: %w\n%s", err, p.Text())
	}
	return p.Kill, nil
}
