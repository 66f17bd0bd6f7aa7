package historyclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// trust decides which certificate of a server is accepted.
type trust struct {
	// roots are the trusted authorities; nil for the authorities of the system.
	roots *x509.CertPool
	// serverName is the name in the certificate; empty for the host of the URL.
	serverName string
	insecure   bool
}

// httpClient returns a client that sends the credentials of a configuration, from a credential plugin too, to another server
// than the API server. It follows no redirection: the credentials would go along. Dial makes its connections, through no proxy; nil for the usual way.
func httpClient(config *rest.Config, t trust, timeout time.Duration, dial func(ctx context.Context, network, address string) (net.Conn, error)) (*http.Client, error) {
	own := rest.CopyConfig(config)
	if own.Impersonate.UserName != "" || own.Impersonate.UID != "" || len(own.Impersonate.Groups) > 0 {
		return nil, errors.New("the history server does not know impersonation: leave out --as and the like")
	}
	own.Username, own.Password = "", "" // the server has no way to check them
	of, err := rest.TLSConfigFor(own)
	if err != nil {
		return nil, err
	}
	if of == nil {
		of = &tls.Config{}
	}
	of = of.Clone()
	of.MinVersion, of.NextProtos = tls.VersionTLS12, nil
	of.RootCAs, of.ServerName, of.InsecureSkipVerify = t.roots, t.serverName, t.insecure // the API server has others
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: of, TLSHandshakeTimeout: 10 * time.Second}
	if dial != nil {
		transport.Proxy, transport.DialContext = nil, dial
	}
	sender, err := rest.HTTPWrappersForConfig(own, transport)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport:     sender,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
