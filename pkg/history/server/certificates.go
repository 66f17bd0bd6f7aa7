package server

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	authentication "k8s.io/api/authentication/v1"
)

// authorities are the authorities that the API server trusts for client certificates. It publishes them for servers like this one.
type authorities struct {
	cluster Cluster
	mutex   sync.Mutex
	pool    *x509.CertPool
	until   time.Time // when they are read again
}

const authoritiesTime = time.Minute

// certified returns the user of a client certificate; the zero user if it is not valid.
func (a *authorities) certified(r *http.Request) (user authentication.UserInfo, err error) {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return user, problem(http.StatusUnauthorized, "a bearer token or a client certificate is required")
	}
	pool, err := a.trusted(r.Context())
	if err != nil {
		return user, err
	}
	certificate, intermediates := r.TLS.PeerCertificates[0], x509.NewCertPool()
	for _, c := range r.TLS.PeerCertificates[1:] {
		intermediates.AddCert(c)
	}
	_, err = certificate.Verify(x509.VerifyOptions{Roots: pool, Intermediates: intermediates,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if err != nil {
		return user, nil
	}
	// The API server adds this group, too, and roles may be bound to it.
	groups := append(append([]string{}, certificate.Subject.Organization...), "system:authenticated")
	return authentication.UserInfo{Username: certificate.Subject.CommonName, Groups: groups}, nil
}

// trusted returns the authorities. The last ones read are used while the API server does not answer.
func (a *authorities) trusted(ctx context.Context) (*x509.CertPool, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if time.Now().Before(a.until) {
		return a.pool, nil
	}
	pool, err := a.read(ctx)
	if err != nil && a.pool == nil {
		return nil, err
	}
	if err == nil {
		a.pool = pool
	}
	a.until = time.Now().Add(authoritiesTime)
	return a.pool, nil
}

func (a *authorities) read(ctx context.Context) (*x509.CertPool, error) {
	const namespace, name, key = "kube-system", "extension-apiserver-authentication", "client-ca-file"
	c, err := a.cluster.ConfigMap(ctx, namespace, name)
	if err != nil {
		return nil, fmt.Errorf("reading the authorities of client certificates: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(c.Data[key])) {
		return nil, errors.New("ConfigMap " + namespace + "/" + name + " has no certificate in " + key)
	}
	return pool, nil
}
