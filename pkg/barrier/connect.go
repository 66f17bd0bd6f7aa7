package barrier

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// errClient means that no client can be created from a well-formed configuration.
var errClient = errors.New("making a client for the API server")

// connect chooses the API server (contract 10.1). Unlike the controller, it uses KUBECONFIG literally: a missing file
// is a mistake.
func connect(getenv func(string) string, s Settings, version string) (*client, error) {
	config, err := restConfig(getenv("KUBE_APISERVER_ADDRESS"), kubeconfig(getenv))
	if err != nil {
		return nil, err
	}
	config.UserAgent = "frameworkbarrier/" + version
	// A connection serves only one watch, so HTTP/2 would only add frames. Keep-alives detect a peer that has silently
	// gone.
	config.NextProtos = []string{"http/1.1"}
	config.Dial = (&net.Dialer{
		Timeout:         10 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}).DialContext
	return newClient(config, s)
}

func newClient(config *rest.Config, s Settings) (*client, error) {
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errClient, err)
	}
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errClient, err)
	}
	base.Path = "/" + strings.Trim(base.Path, "/")
	collection := base.JoinPath("apis", v1.SchemeGroupVersion.Group, v1.SchemeGroupVersion.Version,
		"namespaces", url.PathEscape(s.Namespace), v1.FrameworkPlural)
	return &client{http: transport, collection: collection, name: s.Name}, nil
}

func kubeconfig(getenv func(string) string) string {
	if path := getenv("KUBECONFIG"); path != "" {
		return path
	}
	if home := getenv("HOME"); home != "" {
		path := filepath.Join(home, ".kube", "config")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// restConfig gives the address precedence over the server in the file. An address alone is used without credentials.
func restConfig(address, kubeconfig string) (*rest.Config, error) {
	if address == "" && kubeconfig == "" {
		config, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("no API server: none of KUBECONFIG, ~/.kube/config and KUBE_APISERVER_ADDRESS is "+
				"set, and this Pod's service account cannot be used: %w", err)
		}
		return config, nil
	}
	config, err := clientcmd.BuildConfigFromFlags(address, kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("API server %q, kubeconfig %q: %w", address, kubeconfig, err)
	}
	return config, nil
}
