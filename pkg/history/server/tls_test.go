package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	made := a.sign(func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.Subject.CommonName = true, true, x509.KeyUsageCertSign, "ca"
	})
	a.cert, a.key = made.Leaf, made.PrivateKey.(*ecdsa.PrivateKey)
	return a
}

// sign makes a certificate of user ann, changed; signed by itself if there is no authority yet.
func (a *authority) sign(change func(*x509.Certificate)) tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "ann"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if change != nil {
		change(template)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(a.t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(a.t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func (a *authority) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
}

// trust publishes the authorities of clients as an API server does.
func trust(a *Access, text string) {
	published := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "extension-apiserver-authentication"},
		Data: map[string]string{"client-ca-file": text}}
	a.authorities.cluster.(*fakeCluster).configMap.Store(published)
}

// overTLS serves a handler as the program does, and returns a client with a certificate.
func overTLS(t *testing.T, h http.Handler) func(tls.Certificate) *http.Client {
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert}
	s.StartTLS()
	t.Cleanup(s.Close)
	return func(c tls.Certificate) *http.Client {
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		config := &tls.Config{RootCAs: roots, GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &c, nil }}
		transport := &http.Transport{TLSClientConfig: config}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: rooted{s.URL, transport}}
	}
}

// rooted sends all requests to one server.
type rooted struct {
	url string
	http.RoundTripper
}

func (r rooted) RoundTrip(q *http.Request) (*http.Response, error) {
	full, err := http.NewRequestWithContext(q.Context(), q.Method, r.url+q.URL.RequestURI(), q.Body)
	if err != nil {
		return nil, err
	}
	full.Header = q.Header
	return r.RoundTripper.RoundTrip(full)
}

func statusOf(t *testing.T, c *http.Client, path string) int {
	t.Helper()
	answer, err := c.Get(path)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode
}

// A client certificate proves who reads only if the cluster's authority has signed it for clients, and it is valid now.
func TestClientCertificates(t *testing.T) {
	right, other := newAuthority(t), newAuthority(t)
	between := &authority{t: t}
	signed := right.sign(func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.Subject.CommonName = true, true, x509.KeyUsageCertSign, "between"
	})
	between.cert, between.key = signed.Leaf, signed.PrivateKey.(*ecdsa.PrivateKey)
	chained := between.sign(nil)
	chained.Certificate = append(chained.Certificate, between.cert.Raw)

	ann := right.sign(nil)
	lifted := &authority{t: t, cert: ann.Leaf, key: ann.PrivateKey.(*ecdsa.PrivateKey)}

	access := cluster()
	trust(access, right.pem())
	client := overTLS(t, handlerOf(t, access))
	for name, c := range map[string]struct {
		certificate tls.Certificate
		status      int
	}{
		"of the cluster":        {ann, 200},
		"through an authority":  {chained, 200},
		"without the authority": {between.sign(nil), 401},
		"of another cluster":    {other.sign(nil), 401},
		"none":                  {tls.Certificate{}, 401},
		"of nobody":             {right.sign(func(c *x509.Certificate) { c.Subject.CommonName = "" }), 401},
		"of another user":       {right.sign(func(c *x509.Certificate) { c.Subject.CommonName = "eve" }), 403},
		"expired":               {right.sign(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), 401},
		"not yet valid":         {right.sign(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }), 401},
		"for servers":           {right.sign(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }), 401},
		"signed by a user":      {lifted.sign(nil), 401},
	} {
		require.Equal(t, c.status, statusOf(t, client(c.certificate), "/api/v1/frameworks?namespace=prod"), name)
	}
	require.Equal(t, 403, statusOf(t, client(right.sign(nil)), "/api/v1/frameworks?namespace=dev"))
}

// The authorities of clients may be replaced while the server runs; the known ones remain valid while they cannot be read.
func TestAuthoritiesChange(t *testing.T) {
	before, after := newAuthority(t), newAuthority(t)
	access := cluster()
	client := overTLS(t, handlerOf(t, access))
	get := func(a *authority) int {
		access.authorities.mutex.Lock()
		access.authorities.until = time.Time{} // as after a minute
		access.authorities.mutex.Unlock()
		return statusOf(t, client(a.sign(nil)), "/api/v1/frameworks?namespace=prod")
	}
	require.Equal(t, 503, get(before), "nothing is published")
	trust(access, before.pem())
	require.Equal(t, 200, get(before))
	trust(access, "no certificate")
	require.Equal(t, 200, get(before))
	trust(access, after.pem())
	require.Equal(t, 401, get(before))
	require.Equal(t, 200, get(after))
}

// New files replace the certificate of the server; the old one stays while only one of the files is new.
func TestServerCertificateChanges(t *testing.T) {
	directory, a := t.TempDir(), newAuthority(t)
	certFile, keyFile := filepath.Join(directory, "tls.crt"), filepath.Join(directory, "tls.key")
	writeCert := func(c tls.Certificate) {
		require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), 0o600))
		later := time.Now().Add(time.Duration(c.Leaf.SerialNumber.Int64() % 1e9)) // files that differ have different times
		require.NoError(t, os.Chtimes(certFile, later, later))
	}
	writeKey := func(c tls.Certificate) {
		der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	}
	_, err := NewCertificates(certFile, keyFile)
	require.ErrorContains(t, err, "--tls-cert")
	first, second := a.sign(nil), a.sign(nil)
	writeCert(first)
	writeKey(first)
	c, err := NewCertificates(certFile, keyFile)
	require.NoError(t, err)
	served := func() []byte {
		c.looked = time.Time{} // as after ten seconds
		got, err := c.Get(nil)
		require.NoError(t, err)
		return got.Certificate[0]
	}
	require.Equal(t, first.Certificate[0], served())
	writeCert(second)
	require.Equal(t, first.Certificate[0], served(), "the key is not there yet")
	writeKey(second)
	require.Equal(t, second.Certificate[0], served())
	require.NoError(t, os.Remove(certFile))
	require.Equal(t, second.Certificate[0], served(), "the files are gone")
}
