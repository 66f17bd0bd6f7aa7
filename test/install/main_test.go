package install

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const (
	deploy = "../../deploy"
	chart  = deploy + "/chart"
	// everything is values that differ from each default of the chart.
	everything = "testdata/everything.yaml"
	// name of nearly everything that is installed, and of the namespace and the release in the manual.
	name = "frameworkcontroller"
)

// patience is how long a test waits for something that takes a second or so on an idle machine.
var patience = machine.Within(90 * time.Second)

// Shared by all tests.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	binary     string // path of the controller
	helm       string // path of the program
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if helm, err = cluster.Tool(ctx, os.Stderr, cluster.Helm); err != nil {
		return err
	}
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 1}); err != nil {
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

// runHelm returns Helm's output, and its complaints as an error.
func runHelm(ctx context.Context, args ...string) (string, error) {
	return run(ctx, helm, args...)
}

func kubectl(ctx context.Context, args ...string) (string, error) {
	return run(ctx, kube.Kubectl, args...)
}

func run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := kube.Command(ctx, program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %v: %w\n%s", filepath.Base(program), args, err, &stderr)
	}
	return string(out), nil
}

func mustHelm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := runHelm(t.Context(), args...)
	require.NoError(t, err)
	return out
}

func mustKubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := kubectl(t.Context(), args...)
	require.NoError(t, err)
	return out
}

// eventually tries with the patience of these tests.
func eventually(t *testing.T, try func(ctx context.Context) error) {
	t.Helper()
	clustertest.Eventually(t, patience, try)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}
