package schedulers

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// installed are the files with the CRDs that the tests need.
var installed = []string{"volcano-podgroups.yaml", "kueue-workloads.yaml"}

var client dynamic.Interface

func TestMain(m *testing.M) {
	dir := cmp.Or(os.Getenv("FC_CRDS"), "../../../shared/crds")
	for _, file := range installed {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			fmt.Println("skipping: the CRDs of schedulers are not here, see FC_CRDS:", err)
			return
		}
	}
	clustertest.Main(m, func(ctx context.Context, s *clustertest.Setup) error { return prepare(ctx, s, dir) })
}

func prepare(ctx context.Context, s *clustertest.Setup, dir string) error {
	kube, err := s.Cluster(ctx, cluster.Options{Nodes: 1})
	if err != nil {
		return err
	}
	for _, file := range installed {
		path := filepath.Join(dir, file)
		// Not apply: the annotation that it makes would be too large.
		for _, args := range [][]string{{"create", "-f", path}, {"wait", "--for=condition=Established", "--timeout=60s", "-f", path}} {
			if out, err := kube.Command(ctx, kube.Kubectl, args...).CombinedOutput(); err != nil {
				return fmt.Errorf("kubectl %v: %w\n%s", args, err, out)
			}
		}
	}
	client, err = dynamic.NewForConfig(kube.Config)
	return err
}
