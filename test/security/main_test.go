package security

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const (
	// installed is the name of the objects in deploy/, and of their namespace.
	installed = "frameworkcontroller"
)

// patience is how long a test waits for something that takes a second or so on an idle machine.
var patience = machine.Within(90 * time.Second)

// Shared by all tests. They run one after the other, because each starts controllers of its own.
var (
	kube   *cluster.Cluster
	admin  kubernetes.Interface
	audit  clustertest.AuditLog
	binary string // path of the controller; its plugins are beside it
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

// prepare starts a cluster that keeps an audit log.
func prepare(ctx context.Context, s *clustertest.Setup) error {
	flags, log, err := clustertest.Audit(s.Dir, auditPolicy)
	if err != nil {
		return err
	}
	audit = log
	kube, err = s.Cluster(ctx, cluster.Options{Nodes: 1, ComponentArgs: map[string][]string{"kube-apiserver": flags}})
	if err != nil {
		return err
	}
	if admin, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if binary, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram); err != nil {
		return err
	}
	if _, err := clustertest.Install(ctx, s.Dir, clustertest.PluginPrograms); err != nil {
		return err
	}
	if output, err := kube.Command(ctx, kube.Kubectl, "apply", "-k", "../../deploy").CombinedOutput(); err != nil {
		return fmt.Errorf("installing: %w\n%s", err, output)
	}
	return nil
}

// eventually tries with the patience of these tests. A failure includes the description.
func eventually(t *testing.T, what string, try func(ctx context.Context) error) {
	t.Helper()
	clustertest.Eventually(t, patience, func(ctx context.Context) error {
		if err := try(ctx); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	})
}
