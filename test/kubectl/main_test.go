// Package kubectl has the tests of the plugin `kubectl framework`: through kubectl, which finds it on the PATH, against a real API server
// with simulated nodes, and with Frameworks in real situations. The output of the commands is in testdata, with times and addresses masked;
// go test -rewrite rewrites it.
package kubectl

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

var rewrite = flag.Bool("rewrite", false, "write the expected output anew")

// patience is how long a test waits for something that takes a second or so on an idle machine.
var patience = machine.Within(90 * time.Second)

// Shared by all tests.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	raw        dynamic.NamespaceableResourceInterface
	metrics    string // where the controller serves them
	bin        string // a folder on the PATH, with the plugin
	controller *launch.Process
)

func TestMain(m *testing.M) {
	serveMisbehaviour()
	serveWitness()
	clustertest.Main(m, prepare)
}

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	flag.Set("test.parallel", "64") // the tests mostly wait
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 2}); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	raw = client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural))
	bin = filepath.Join(s.Dir, "path")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	if _, err := clustertest.Install(ctx, bin, clustertest.KubectlProgram); err != nil {
		return err
	}
	if err := defineAdmissions(ctx); err != nil {
		return err
	}
	return startController(ctx, s)
}

func startController(ctx context.Context, s *clustertest.Setup) (err error) {
	plugins, err := extraPlugins(ctx, s.Dir)
	if err != nil {
		return err
	}
	controller, err = s.ShippedController(ctx, kube, plugins, "--http-address=127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return clustertest.Poll(ctx, func(ctx context.Context) error { // until it has defined Frameworks
		metrics = "http://" + clustertest.AddressIn(controller.Text()) + "/metrics"
		_, err := raw.List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
}
