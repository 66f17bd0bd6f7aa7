// Package metrics tests the controller's answers over HTTP, to probes and to Prometheus. Its API server is well, unreachable, silent, or
// has another CRD. The first run builds a control plane and takes some minutes; -short skips all tests.
package metrics

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
	"github.com/frameworkcontroller/frameworkcontroller/test/proxy"
)

// patience is how long a test waits for something that takes seconds at most on an idle machine.
var patience = machine.Within(90 * time.Second)

// Shared by all tests. They run one after the other, and each leaves the connection to the API server open.
var (
	kube       *cluster.Cluster
	road       *proxy.Connections // from the controller to the API server
	frameworks dynamic.ResourceInterface
	crds       dynamic.ResourceInterface
	binary     string
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 1}); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	frameworks = client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace("default")
	crds = client.Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if road, err = proxy.Listen(kube.Config.Host); err != nil {
		return err
	}
	s.AtEnd(func() error {
		road.Close()
		return nil
	})
	if binary, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram); err != nil {
		return err
	}
	_, err = clustertest.Install(ctx, s.Dir, clustertest.PluginPrograms)
	return err
}
