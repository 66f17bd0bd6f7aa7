package rbac

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const (
	deploy = "../../deploy"
	// name of nearly everything that is installed, and of the namespace that it is installed in.
	name = "frameworkcontroller"
)

// patience is how long a test waits for something that takes a second or so on an idle machine.
var patience = machine.Within(60 * time.Second)

// Shared by all tests. The tests run one after the other, because they change the controller's permissions.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	audit      clustertest.AuditLog
	binary     string // path of the controller
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

// prepare starts a cluster that keeps an audit log, has the kinds of native gangs, and requires a permission for blockOwnerDeletion.
func prepare(ctx context.Context, s *clustertest.Setup) error {
	flags, log, err := clustertest.Audit(s.Dir, auditPolicy)
	if err != nil {
		return err
	}
	audit = log
	args := cluster.NativeGangs(cluster.Newest)
	args["kube-apiserver"] = slices.Concat(args["kube-apiserver"], flags, []string{"--enable-admission-plugins=OwnerReferencesPermissionEnforcement"})
	kube, err = s.Cluster(ctx, cluster.Options{Nodes: 1, ComponentArgs: args})
	if err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	if binary, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram); err != nil {
		return err
	}
	_, err = kubectl(ctx, "apply", "-k", deploy)
	return err
}

// kubectl returns the output of kubectl.
func kubectl(ctx context.Context, args ...string) (string, error) {
	out, err := kube.Command(ctx, kube.Kubectl, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("kubectl %v: %w\n%s", args, err, exit.Stderr)
	}
	return string(out), err
}

// eventually tries with the patience of these tests.
func eventually(t *testing.T, try func(ctx context.Context) error) {
	t.Helper()
	clustertest.Eventually(t, patience, try)
}
