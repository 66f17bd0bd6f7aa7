package crash

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// patience is how long a play waits for something that takes seconds on an idle machine.
var patience = machine.Within(60 * time.Second)

var all = flag.Bool("all", false, "crash at both sides of every write")

// Shared by all plays.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	recorder   *checker.Recorder
	binary     string
	auditLog   string
	historyURL string
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) error {
	flag.Set("test.parallel", "6") // plays mostly wait
	flags, log, err := clustertest.Audit(s.Dir, checker.AuditPolicy)
	if err != nil {
		return err
	}
	auditLog = log.Path
	kube, err = s.Cluster(ctx, cluster.Options{Nodes: 3, ComponentArgs: map[string][]string{
		"kube-apiserver": append(flags, "--audit-log-maxsize=0"),
	}})
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
	if _, err := clustertest.Install(ctx, s.Dir, clustertest.PluginPrograms); err != nil {
		return err
	}
	if err := serveHistory(ctx, s); err != nil {
		return err
	}
	if err := define(ctx, s.Dir); err != nil {
		return err
	}
	recorder, err = checker.Record(ctx, kube.Config, checker.RecordOptions{})
	return err
}

// define has a controller define Frameworks, so that they can be watched before there are any.
func define(ctx context.Context, dir string) error {
	p, err := startProcess(dir, kube.Config.Host, kube.Kubeconfig)
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = clustertest.Poll(ctx, func(ctx context.Context) error {
		_, err := frameworks.FrameworkControllerV1().Frameworks("default").List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
	if err != nil {
		return fmt.Errorf("Frameworks are not defined: %w; the controller's log:\n%s", err, p.Text())
	}
	return nil
}
