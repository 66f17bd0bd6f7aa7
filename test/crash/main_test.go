package crash

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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// patience is how long a play waits for something that takes seconds on an idle machine.
const patience = 60 * time.Second

var all = flag.Bool("all", false, "crash at both sides of every write")

// What all plays share.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	recorder   *checker.Recorder
	binary     string
	auditLog   string
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("skipping: needs a cluster")
		return
	}
	flag.Set("test.parallel", "6") // plays mostly wait
	os.Exit(runOnCluster(m))
}

func runOnCluster(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crash-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := start(ctx, dir); err != nil {
		log.Print(err)
		return 1
	}
	defer kube.Stop()
	defer cancel() // before the cluster goes
	return m.Run()
}

func start(ctx context.Context, dir string) (err error) {
	policy := filepath.Join(dir, "policy.yaml")
	auditLog = filepath.Join(dir, "audit.log")
	if err := os.WriteFile(policy, []byte(checker.AuditPolicy), 0o600); err != nil {
		return err
	}
	kube, err = cluster.Start(ctx, cluster.Options{Nodes: 3, ComponentArgs: map[string][]string{"kube-apiserver": {
		"--audit-policy-file=" + policy, "--audit-log-path=" + auditLog, "--audit-log-maxsize=0",
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
	binary = filepath.Join(dir, "frameworkcontroller")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "../../cmd/controller")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the controller: %w\n%s", err, output)
	}
	if err := define(ctx, dir); err != nil {
		return err
	}
	recorder, err = checker.Record(ctx, kube.Config)
	return err
}

// define has a controller define Frameworks, so that they can be watched before there are any.
func define(ctx context.Context, dir string) error {
	p, err := startProcess(dir, kube.Config.Host, kube.Kubeconfig)
	if err != nil {
		return err
	}
	defer p.kill()
	deadline := time.Now().Add(patience)
	for {
		_, err := frameworks.FrameworkControllerV1().Frameworks("default").List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("Frameworks are not defined: %w; the controller's log:\n%s", err, p.text())
		}
		time.Sleep(50 * time.Millisecond)
	}
}
