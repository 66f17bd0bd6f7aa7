package historyclient

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
)

// whoServer answers who has asked: a token, or the name in a client certificate. It is no page of a list, so the name is in an error.
func whoServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(who))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func who(w http.ResponseWriter, r *http.Request) {
	name := "nobody"
	if token := r.Header.Get("Authorization"); token != "" {
		name = token
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		name = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	w.WriteHeader(http.StatusTeapot)
	fmt.Fprintf(w, `{"message": %q}`, name)
}

// askedBy returns who a server takes the user of a configuration for.
func askedBy(t *testing.T, c *Client) string {
	t.Helper()
	_, err := c.Framework(t.Context(), "a", "b", "")
	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, http.StatusTeapot, refusal.Status, refusal.Message)
	return refusal.Message
}

// The server gets the credentials that the API server gets, except a password, which it has no way to check.
func TestCredentials(t *testing.T) {
	server := whoServer(t)
	certificate, key := certificateOf(t, "ada")
	for name, c := range map[string]struct {
		config rest.Config
		want   string
	}{
		"none":        {rest.Config{}, "nobody"},
		"token":       {rest.Config{BearerToken: "t"}, "Bearer t"},
		"token file":  {rest.Config{BearerTokenFile: fileOf(t, "filed")}, "Bearer filed"},
		"password":    {rest.Config{Username: "ada", Password: "secret"}, "nobody"},
		"certificate": {rest.Config{TLSClientConfig: rest.TLSClientConfig{CertData: certificate, KeyData: key}}, "ada"},
		"plugin":      {rest.Config{ExecProvider: pluginOf(t, `"token": "plugged"`)}, "Bearer plugged"},
		"plugin with a certificate": {rest.Config{ExecProvider: pluginOf(t,
			fmt.Sprintf(`"clientCertificateData": %q, "clientKeyData": %q`, certificate, key))}, "ada"},
	} {
		t.Run(name, func(t *testing.T) {
			c.config.Host = "https://elsewhere"
			client, err := Connect(t.Context(), &c.config, Options{URL: server.URL, Insecure: true})
			require.NoError(t, err)
			require.Equal(t, c.want, askedBy(t, client))
		})
	}
}

// An authority that a configuration trusts for the API server is not trusted for another server.
func TestTrustIsNotInherited(t *testing.T) {
	server := whoServer(t)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for _, tls := range []rest.TLSClientConfig{{Insecure: true}, {CAData: authority}} {
		client, err := Connect(t.Context(), &rest.Config{Host: "https://elsewhere", BearerToken: "t", TLSClientConfig: tls}, Options{URL: server.URL})
		require.NoError(t, err)
		_, err = client.Framework(t.Context(), "a", "b", "")
		require.ErrorContains(t, err, "certificate")
	}
}

// Credentials neither go unencrypted over a network, nor where a server redirects to.
func TestCredentialsStay(t *testing.T) {
	config := &rest.Config{BearerToken: "t"}
	for url, sends := range map[string]bool{
		"http://127.0.0.1:1": true, "http://localhost:1": true, "http://[::1]:1": true, "https://history.example.com": true,
		"http://history.example.com": false, "http://10.0.0.1": false, "http://127.0.0.1.example.com": false, "http://localhost.example.com": false,
		"http://0.0.0.0": false, "history.example.com": false, "https://": false, "https://a:b@history.example.com": false,
	} {
		_, err := Connect(t.Context(), config, Options{URL: url})
		require.Equal(t, sends, err == nil, "%s: %v", url, err)
	}
	asked := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(elsewhere.Close)
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	client, err := Connect(t.Context(), config, Options{URL: server.URL})
	require.NoError(t, err)
	_, err = client.Framework(t.Context(), "a", "b", "")
	require.EqualError(t, err, "the answer is 307 Temporary Redirect")
	require.False(t, asked)
}

func TestImpersonationIsRefused(t *testing.T) {
	_, err := Connect(t.Context(), &rest.Config{Impersonate: rest.ImpersonationConfig{UserName: "ada"}}, Options{URL: "http://127.0.0.1:1"})
	require.ErrorContains(t, err, "--as")
}

func fileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

// pluginOf returns a credential plugin that gives a status.
func pluginOf(t *testing.T, status string) *api.ExecConfig {
	t.Helper()
	const version = "client.authentication.k8s.io/v1"
	path := fileOf(t, "#!/bin/sh\ncat <<'EOF'\n"+`{"apiVersion": "`+version+`", "kind": "ExecCredential", "status": {`+status+"}}\nEOF\n")
	return &api.ExecConfig{Command: path, APIVersion: version, InteractiveMode: api.NeverExecInteractiveMode}
}

// certificateOf returns a certificate that signs itself, and its key.
func certificateOf(t *testing.T, name string) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}
