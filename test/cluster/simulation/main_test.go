package simulation

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

var (
	client   kubernetes.Interface
	auditLog string
)

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "50") // the tests mostly wait
	code, err := runWithCluster(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func runWithCluster(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "simulation")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	c, err := start(dir)
	if err != nil {
		return 0, err
	}
	defer c.Stop()
	if client, err = kubernetes.NewForConfig(c.Config); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

func start(dir string) (*cluster.Cluster, error) {
	policy := filepath.Join(dir, "policy.yaml")
	text := "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"
	if err := os.WriteFile(policy, []byte(text), 0o644); err != nil {
		return nil, err
	}
	auditLog = filepath.Join(dir, "audit.log")
	return cluster.Start(context.Background(), cluster.Options{
		Nodes: 3,
		ComponentArgs: map[string][]string{
			"kube-apiserver": {"--audit-policy-file=" + policy, "--audit-log-path=" + auditLog},
		},
	})
}
