package historyclient

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Options choose the server.
type Options struct {
	// URL of the server. If it is empty, a Service is looked for in the cluster, and a port is forwarded to it.
	URL string
	// Namespace of the Service; empty for DefaultNamespace.
	Namespace string
	// Insecure accepts every certificate of the server.
	Insecure bool
	// Timeout for each answer; 0 for none.
	Timeout time.Duration
}

// Connect returns a client with the credentials of a configuration of the API server. The configuration may be empty if
// the options have a URL; then no credentials are sent. Errors are *NoServer, *SeveralServers, ErrNoCA, and errors of the cluster.
func Connect(ctx context.Context, config *rest.Config, o Options) (*Client, error) {
	if o.URL != "" {
		return connectTo(config, o)
	}
	looking := rest.CopyConfig(config)
	looking.Timeout = o.Timeout
	core, err := kubernetes.NewForConfig(looking)
	if err != nil {
		return nil, err
	}
	s, err := find(ctx, core, o.Namespace)
	if err != nil {
		return nil, err
	}
	trusted := trust{serverName: s.Name + "." + s.Namespace + ".svc", insecure: o.Insecure}
	if !o.Insecure {
		if trusted.roots, err = authorities(ctx, core, s); err != nil {
			return nil, err
		}
	}
	f := newForwarding(ctx, config, core, s, o.Timeout)
	client, err := httpClient(config, trusted, o.Timeout, f.dial)
	if err == nil {
		_, err = f.open(ctx) // report an unreachable server at once
	}
	if err != nil {
		f.close()
		return nil, err
	}
	client.Transport = reconnecting{f, client.Transport}
	return &Client{&url.URL{Scheme: "https", Host: trusted.serverName}, client, f.close}, nil
}

func connectTo(config *rest.Config, o Options) (*Client, error) {
	at, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, err
	case at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		return nil, fmt.Errorf("%q is not the URL of a server, such as https://history.example.com", o.URL)
	case at.User != nil:
		return nil, fmt.Errorf("the URL %s has credentials of its own: leave them out", at.Redacted())
	case at.Scheme == "http" && !isLoopback(at.Hostname()):
		return nil, fmt.Errorf("%s would send your credentials without encryption: use https", o.URL)
	}
	client, err := httpClient(config, trust{insecure: o.Insecure}, o.Timeout, nil)
	if err != nil {
		return nil, err
	}
	return &Client{at, client, func() {}}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
