package sshkey

import (
	"crypto/ed25519"
	"encoding/pem"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// New creates a pair of ed25519 keys, each as the text of its file. The comment, one line, is in both. An error means
// that the keys could not be encoded as text.
func New(comment string) (objects.KeyPair, error) {
	public, private, err := ed25519.GenerateKey(nil) // random
	if err != nil {
		return objects.KeyPair{}, fmt.Errorf("creating a key pair: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, comment)
	if err != nil {
		return objects.KeyPair{}, fmt.Errorf("encoding the private key: %w", err)
	}
	authorized, err := ssh.NewPublicKey(public)
	if err != nil {
		return objects.KeyPair{}, fmt.Errorf("encoding the public key: %w", err)
	}
	line := strings.TrimSuffix(string(ssh.MarshalAuthorizedKey(authorized)), "\n")
	return objects.KeyPair{Private: pem.EncodeToMemory(block), Public: []byte(line + " " + comment + "\n")}, nil
}
