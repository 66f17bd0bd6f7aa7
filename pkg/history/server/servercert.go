package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"os"
	"sync"
	"time"
)

// Certificates has the certificate of the server.
type Certificates struct {
	certFile, keyFile string
	mutex             sync.Mutex
	current           *tls.Certificate
	changed           time.Time // modification time of the file
	looked            time.Time
}

// lookEvery is the pause between two looks at the files.
const lookEvery = 10 * time.Second

// NewCertificates reads a certificate and its key, and reads them again when they change. Without files it makes a
// self-signed one.
func NewCertificates(certFile, keyFile string) (*Certificates, error) {
	c := &Certificates{certFile: certFile, keyFile: keyFile}
	if certFile == "" {
		made, err := selfSigned(time.Now())
		c.current = made
		return c, err
	}
	return c, c.read()
}

func (c *Certificates) read() error {
	info, err := os.Stat(c.certFile)
	if err != nil {
		return fmt.Errorf("--tls-cert: %w", err)
	}
	if c.current != nil && info.ModTime().Equal(c.changed) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	c.current, c.changed = &pair, info.ModTime()
	return nil
}

// Get returns the certificate for a connection. While new files cannot be read, it is the old one.
func (c *Certificates) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if now := time.Now(); c.certFile != "" && now.Sub(c.looked) > lookEvery {
		c.looked = now
		_ = c.read()
	}
	return c.current, nil
}

func selfSigned(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "frameworkcontroller-history"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(10 * 365 * 24 * time.Hour), DNSNames: []string{"localhost"},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
