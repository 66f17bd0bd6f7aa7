// Package monitoring tests the chart's rules and dashboard for Prometheus and Grafana: a real Prometheus scrapes controllers in trouble.
// Prometheus comes from Debian's archive; without access to it, and with -short, the tests are skipped.
package monitoring

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/debian"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
	"github.com/frameworkcontroller/frameworkcontroller/test/proxy"
)

// patience is how long a test waits for something that takes half a minute on an idle machine.
var patience = machine.Within(4 * time.Minute)

// Shared by the tests.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks dynamic.ResourceInterface
	way        trouble // from the controllers to the API server
	server     *proxy.Server
	binary     string
	programs   string // the folder with Prometheus
	missing    error  // why they are missing
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if programs, err = filepath.Abs("../../bin/tools/prometheus"); err != nil {
		return err
	}
	if missing = debian.Unpack(programs, "prometheus"); missing != nil {
		return nil
	}
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 2}); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	frameworks = client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace("default")
	if server, err = proxy.Serve(kube.Config, way.around, nil); err != nil {
		return err
	}
	s.AtEnd(func() error {
		server.Stop()
		return nil
	})
	if binary, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram); err != nil {
		return err
	}
	_, err = clustertest.Install(ctx, s.Dir, clustertest.PluginPrograms)
	return err
}
