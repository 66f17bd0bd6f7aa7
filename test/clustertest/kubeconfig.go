package clustertest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// Kubeconfig writes a changed copy of a cluster's kubeconfig, and returns its path. The file is removed when the test ends.
func Kubeconfig(t *testing.T, c *cluster.Cluster, change func(*api.Config)) (path string) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(c.Kubeconfig)
	require.NoError(t, err)
	change(config)
	path = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, path))
	return path
}

// KubeconfigOf writes a kubeconfig with a token of a ServiceAccount instead of the cluster's own credentials.
func KubeconfigOf(t *testing.T, c *cluster.Cluster, namespace, account string) (path string) {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.Config)
	require.NoError(t, err)
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), account,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	return Kubeconfig(t, c, func(config *api.Config) {
		for who := range config.AuthInfos {
			config.AuthInfos[who] = &api.AuthInfo{Token: token.Status.Token}
		}
	})
}
