package rbac

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

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

const (
	deploy = "../../deploy"
	// name of nearly everything that is installed, and of the namespace that it is installed in.
	name = "frameworkcontroller"
	// patience is how long a test waits for something that takes a second or so on an idle machine.
	patience = 60 * time.Second
)

// What all tests share. The tests run one after the other, as they change what the controller may do.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	requests   *auditLog
	binary     string // of the controller
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
	dir, err := os.MkdirTemp("", "rbac-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := start(ctx, dir); err != nil {
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

// start starts a cluster that keeps an audit log, and in which who sets blockOwnerDeletion needs the permission to.
func start(ctx context.Context, dir string) (err error) {
	requests = &auditLog{path: filepath.Join(dir, "audit.log")}
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	kube, err = cluster.Start(ctx, cluster.Options{Nodes: 1, ComponentArgs: map[string][]string{"kube-apiserver": {
		"--audit-policy-file=" + policy,
		"--audit-log-path=" + requests.path,
		"--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
	}}})
	return err
}

func prepare(ctx context.Context, dir string) (err error) {
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	binary = filepath.Join(dir, name)
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "../../cmd/controller")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the controller: %w\n%s", err, output)
	}
	_, err = kubectl(ctx, "apply", "-k", deploy)
	return err
}

// kubectl returns what it prints.
func kubectl(ctx context.Context, args ...string) (string, error) {
	out, err := kube.Command(ctx, kube.Kubectl, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("kubectl %v: %w\n%s", args, err, exit.Stderr)
	}
	return string(out), err
}

// eventually tries until there is no error any more. It works in cleanups too.
func eventually(t *testing.T, try func(ctx context.Context) error) {
	t.Helper()
	var last error
	tried := func(ctx context.Context) (bool, error) {
		last = try(ctx)
		return last == nil, nil
	}
	if err := wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, patience, true, tried); err != nil {
		t.Fatal(err, last)
	}
}
