package ha

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

const (
	// patience is how long a test waits for something that takes seconds on an idle machine.
	patience = 90 * time.Second
	// longestFailover is what is promised with the default durations.
	longestFailover = 15 * time.Second
	// longestHandover is what one takes that was told to end, on a busy machine too.
	longestHandover = 6 * time.Second
)

// What all tests share. They run one after the other, each with controllers of its own.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	audit      *auditLog
	binary     string
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("skipping: needs a cluster")
		return
	}
	os.Exit(runOnCluster(m))
}

func runOnCluster(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ha-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := start(context.Background(), dir); err != nil {
		log.Print(err)
		return 1
	}
	defer kube.Stop()
	return m.Run()
}

func start(ctx context.Context, dir string) (err error) {
	audit = &auditLog{path: filepath.Join(dir, "audit.log")}
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	kube, err = cluster.Start(ctx, cluster.Options{Nodes: 5, ComponentArgs: map[string][]string{"kube-apiserver": {
		"--audit-policy-file=" + policy, "--audit-log-path=" + audit.path,
	}}})
	if err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	binary = filepath.Join(kube.Dir, "frameworkcontroller")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "../../cmd/controller")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the controller: %w\n%s", err, output)
	}
	return nil
}
