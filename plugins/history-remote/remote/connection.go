package remote

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// maxConnections is enough for all calls of the controller: 8 with records and 64 for logs; and for the spool.
const maxConnections = 8 + 64 + 1

// connection has the HTTP client for the server. The client is replaced when the file with the certificates changes, because certificates
// expire sooner than processes.
type connection struct {
	caFile string

	mu     sync.Mutex
	ca     []byte
	client *http.Client
}

func (c *connection) current() (*http.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ca []byte
	if c.caFile != "" {
		var err error
		if ca, err = os.ReadFile(c.caFile); err != nil {
			return nil, fmt.Errorf("caFile: %w", err)
		}
	}
	if c.client != nil && bytes.Equal(ca, c.ca) {
		return c.client, nil
	}
	client, err := newClient(ca)
	if err != nil {
		return nil, fmt.Errorf("caFile: %s: %w", c.caFile, err)
	}
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
	c.ca, c.client = ca, client
	return client, nil
}

// newClient trusts the certificates in ca, or the certificates of the system if ca is nil.
func newClient(ca []byte) (*http.Client, error) {
	var roots *x509.CertPool
	if ca != nil {
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(ca) {
			return nil, errors.New("it has no certificate")
		}
	}
	return &http.Client{
		// With HTTP/1.1, a request without an answer costs its connection, and a new connection may reach another server.
		Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			IdleConnTimeout:     time.Minute,
			MaxIdleConnsPerHost: maxConnections,
		},
		// Another server must not get the token.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
