package volcano

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// installed is the file with the CRD that the test needs.
const installed = "volcano-podgroups.yaml"

var client dynamic.Interface

func TestMain(m *testing.M) {
	dir := os.Getenv("FC_CRDS")
	if dir == "" {
		fmt.Println("skipping: Volcano's CRDs are no part of this project; FC_CRDS names the folder with", installed)
		return
	}
	clustertest.Main(m, func(ctx context.Context, s *clustertest.Setup) error {
		return prepare(ctx, s, filepath.Join(dir, installed))
	})
}

func prepare(ctx context.Context, s *clustertest.Setup, path string) error {
	kube, err := s.Cluster(ctx, cluster.Options{Nodes: 1})
	if err != nil {
		return err
	}
	// Not apply: the annotation that it makes would be too large.
	for _, args := range [][]string{{"create", "-f", path}, {"wait", "--for=condition=Established", "--timeout=60s", "-f", path}} {
		if out, err := kube.Command(ctx, kube.Kubectl, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl %v: %w\n%s", args, err, out)
		}
	}
	client, err = dynamic.NewForConfig(kube.Config)
	return err
}
