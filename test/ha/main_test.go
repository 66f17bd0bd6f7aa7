package ha

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const (
	// longestFailover is the promised limit with the default durations.
	longestFailover = 15 * time.Second
	// longestHandover is the limit after a controller was asked to end, on a busy machine too.
	longestHandover = 6 * time.Second
)

// patience is how long a test waits for something that takes seconds on an idle machine.
var patience = machine.Within(90 * time.Second)

// Shared by all tests. They run one after the other, each with controllers of its own.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	audit      clustertest.AuditLog
	binary     string
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) error {
	flags, log, err := clustertest.Audit(s.Dir, auditPolicy)
	if err != nil {
		return err
	}
	audit = log
	kube, err = s.Cluster(ctx, cluster.Options{Nodes: 5, ComponentArgs: map[string][]string{"kube-apiserver": flags}})
	if err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	binary, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram)
	return err
}
