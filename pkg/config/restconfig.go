package config

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// RESTConfig returns the client configuration for a connection, with the configured rate limit.
func (c *Config) RESTConfig(conn Connection) (*rest.Config, error) {
	rc, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: conn.Kubeconfig},
		&clientcmd.ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: conn.Address}},
	).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, fmt.Errorf("no API server: not running in a cluster, and none of kubeConfigFilePath, KUBECONFIG, "+
			"~/.kube/config, kubeApiServerAddress and KUBE_APISERVER_ADDRESS says where it is: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("API server, %s: %w", conn, err)
	}
	c.limitRate(rc)
	return rc, nil
}

// limitRate turns the limiter off unless the file asks for it: client-go takes 0 for its own low default.
func (c *Config) limitRate(rc *rest.Config) {
	rc.QPS = -1
	if c.KubeClientQPS != nil {
		rc.QPS, rc.Burst = *c.KubeClientQPS, *c.KubeClientBurst
	}
}
