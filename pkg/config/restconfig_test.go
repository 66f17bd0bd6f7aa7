package config

import (
	"path/filepath"
	"strings"
	"testing"
)

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://in-file:6443"}}]
users: [{name: u, user: {token: secret}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

func TestRESTConfig(t *testing.T) {
	outsideACluster(t)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	write(t, path, kubeconfig)
	tests := []struct {
		name  string
		conn  Connection
		host  string
		token string
	}{
		{"only a file", Connection{Kubeconfig: path}, "https://in-file:6443", "secret"},
		{"only an address is unauthenticated", Connection{Address: "http://a:8080"}, "http://a:8080", ""},
		{"an address overrides the server in the file", Connection{path, "https://other:6443"}, "https://other:6443", "secret"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Default().RESTConfig(tt.conn)
			if err != nil || got.Host != tt.host || got.BearerToken != tt.token {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func outsideACluster(t *testing.T) {
	for _, name := range []string{"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "KUBERNETES_MASTER", "KUBECONFIG"} {
		t.Setenv(name, "")
	}
}

func TestRESTConfigErrors(t *testing.T) {
	outsideACluster(t)
	broken := filepath.Join(t.TempDir(), "broken")
	write(t, broken, "{")
	tests := []struct {
		file string
		conn Connection
		want string
	}{
		{"{}", Connection{}, "no API server: not running in a cluster, and none of kubeConfigFilePath"},
		{"{}", Connection{Kubeconfig: "/no/such/file"}, "KUBECONFIG or ~/.kube/config: API server, kubeconfig /no/such/file: stat /no/such/file"},
		{"{}", Connection{Kubeconfig: broken}, "KUBECONFIG or ~/.kube/config: API server, kubeconfig " + broken},
		{"kubeConfigFilePath: /no/such/file", Connection{Kubeconfig: "/no/such/file"}, "kubeConfigFilePath: API server, kubeconfig /no/such/file: stat"},
		{"kubeApiServerAddress: http://a b", Connection{Address: "http://a b"}, "kubeApiServerAddress: API server, http://a b without credentials: host must be"},
		{"{}", Connection{Address: "http://a b"}, "KUBE_APISERVER_ADDRESS: API server, http://a b without credentials: host must be"},
	}
	for _, tt := range tests {
		if _, err := parse(t, tt.file).RESTConfig(tt.conn); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.conn, err)
		}
	}
}

func TestRESTConfigRate(t *testing.T) {
	address := Connection{Address: "http://a"}
	limited, err := parse(t, "{kubeClientQps: 200, kubeClientBurst: 300}").RESTConfig(address)
	if err != nil || limited.QPS != 200 || limited.Burst != 300 {
		t.Errorf("got %+v, %v", limited, err)
	}
	// In client-go, a negative QPS means no limit.
	if free, err := Default().RESTConfig(address); err != nil || free.QPS >= 0 {
		t.Errorf("got %+v, %v", free, err)
	}
}
