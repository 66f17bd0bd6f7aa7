package sshkey

import (
	"crypto/ed25519"
	"encoding/pem"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// New makes a pair of ed25519 keys, each as the text of its file. The comment, which is one line, stands in both. An error
// means that the keys could not be written as text.
func New(comment string) (objects.KeyPair, error) {
	public, private, err := ed25519.GenerateKey(nil) // random
	if err != nil {
		return objects.KeyPair{}, fmt.Errorf("making a pair of keys: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, comment)
	if err != nil {
		return objects.KeyPair{}, fmt.Errorf("writing the private key: %w", err)
	}
	authorized, err := ssh.NewPublicKey(public)
	if err != nil {
		return objects.KeyPair{}, fmt.Errorf("writing the public key: %w", err)
	}
	line := strings.TrimSuffix(string(ssh.MarshalAuthorizedKey(authorized)), "\n")
	return objects.KeyPair{Private: pem.EncodeToMemory(block), Public: []byte(line + " " + comment + "\n")}, nil
}
