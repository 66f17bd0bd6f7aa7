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
			"~/.kube/config, kubeApiServerAddress and KUBE_APISERVER_ADDRESS is set: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: API server, %s: %w", c.sourceOfFile(conn), conn, err)
	}
	if _, _, err := rest.DefaultServerUrlFor(rc); err != nil {
		return nil, fmt.Errorf("%s: API server, %s: %w", c.sourceOfAddress(conn), conn, err)
	}
	c.limitRate(rc)
	return rc, nil
}

// sourceOfFile names the source of a kubeconfig's path, for the person who must correct it.
func (c *Config) sourceOfFile(conn Connection) string {
	switch {
	case conn.Kubeconfig == "":
		return "service account"
	case c.KubeConfigFilePath != nil:
		return "kubeConfigFilePath"
	}
	return "KUBECONFIG or ~/.kube/config"
}

// sourceOfAddress names the source of the API server's address.
func (c *Config) sourceOfAddress(conn Connection) string {
	switch {
	case conn.Address == "":
		return c.sourceOfFile(conn)
	case c.KubeAPIServerAddress != nil:
		return "kubeApiServerAddress"
	}
	return "KUBE_APISERVER_ADDRESS"
}

// limitRate turns the limiter off unless the file asks for it: client-go reads 0 as its own low default.
func (c *Config) limitRate(rc *rest.Config) {
	rc.QPS = -1
	if c.KubeClientQPS != nil {
		rc.QPS, rc.Burst = *c.KubeClientQPS, *c.KubeClientBurst
	}
}
