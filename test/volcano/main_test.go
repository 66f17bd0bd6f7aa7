package volcano

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/crds"
)

var client dynamic.Interface

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) error {
	crd, err := crds.VolcanoPodGroup.Read(ctx, os.Stderr)
	if err != nil {
		return err
	}
	kube, err := s.Cluster(ctx, cluster.Options{Nodes: 1})
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"create", "-f", "-"}, {"wait", "--for=condition=Established", "--timeout=60s", "-f", "-"}} {
		cmd := kube.Command(ctx, kube.Kubectl, args...)
		cmd.Stdin = bytes.NewReader(crd)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl %v: %w\n%s", args, err, out)
		}
	}
	client, err = dynamic.NewForConfig(kube.Config)
	return err
}
