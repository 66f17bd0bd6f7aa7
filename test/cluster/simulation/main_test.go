package simulation

import (
	"context"
	"flag"
	"os"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

var (
	client   kubernetes.Interface
	auditLog string
)

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "50") // the tests mostly wait
	os.Exit(clustertest.Run(m, prepare))
}

func prepare(ctx context.Context, s *clustertest.Setup) error {
	flags, log, err := clustertest.Audit(s.Dir, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n")
	if err != nil {
		return err
	}
	auditLog = log.Path
	c, err := s.Cluster(ctx, cluster.Options{Nodes: 3, ComponentArgs: map[string][]string{"kube-apiserver": flags}})
	if err != nil {
		return err
	}
	client, err = kubernetes.NewForConfig(c.Config)
	return err
}
