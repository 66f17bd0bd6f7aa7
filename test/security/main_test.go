package security

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

const (
	// installed is the name of what deploy/ installs, and of the namespace that it is installed in.
	installed = "frameworkcontroller"
	// patience is how long a test waits for something that takes a second or so on an idle machine.
	patience = 90 * time.Second
)

// What all tests share. They run one after the other, since each starts controllers of its own.
var (
	kube     *cluster.Cluster
	admin    kubernetes.Interface
	requests *auditLog
	binary   string // of the controller; its plugins are beside it
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
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "security-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := startCluster(ctx, dir); err != nil {
		log.Print(err)
		return 1
	}
	defer kube.Stop()
	if err := prepare(ctx, dir); err != nil {
		log.Print(err)
		return 1
	}
	return m.Run()
}

// startCluster starts a cluster that keeps an audit log.
func startCluster(ctx context.Context, dir string) (err error) {
	requests = &auditLog{path: filepath.Join(dir, "audit.log")}
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	kube, err = cluster.Start(ctx, cluster.Options{Nodes: 1, ComponentArgs: map[string][]string{"kube-apiserver": {
		"--audit-policy-file=" + policy,
		"--audit-log-path=" + requests.path,
	}}})
	return err
}

func prepare(ctx context.Context, dir string) (err error) {
	if admin, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	binary = filepath.Join(dir, "frameworkcontroller")
	for to, what := range map[string]string{binary: "../../cmd/controller", filepath.Join(dir, "plugins") + "/": "../../plugins/..."} {
		build := exec.CommandContext(ctx, "go", "build", "-o", to, what)
		if output, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", what, err, output)
		}
	}
	if output, err := kube.Command(ctx, kube.Kubectl, "apply", "-k", "../../deploy").CombinedOutput(); err != nil {
		return fmt.Errorf("installing: %w\n%s", err, output)
	}
	return nil
}

// eventually tries until there is no error any more. It works in cleanups too.
func eventually(t *testing.T, what string, try func(ctx context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err := try(ctx)
		if err == nil || ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		t.Fatalf("%s: %v", what, errors.Join(err, last))
	}
}
