package sshkey_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/sshkey"
)

// The public key belongs to the private one, and the next pair differs.
func TestPair(t *testing.T) {
	keys, err := sshkey.New("demo")
	require.NoError(t, err)
	signer, err := ssh.ParsePrivateKey(keys.Private)
	require.NoError(t, err)
	public, comment, _, rest, err := ssh.ParseAuthorizedKey(keys.Public)
	require.NoError(t, err)
	if !bytes.Equal(signer.PublicKey().Marshal(), public.Marshal()) || public.Type() != ssh.KeyAlgoED25519 || comment != "demo" || len(rest) > 0 {
		t.Errorf("%s is not the public key of what was made, or has more in it: comment %q, rest %q", keys.Public, comment, rest)
	}
	others, err := sshkey.New("demo")
	require.NoError(t, err)
	if bytes.Equal(others.Public, keys.Public) {
		t.Error("two pairs are the same")
	}
}

// OpenSSH itself reads the private key, and derives the same public key.
func TestOpenSSHReadsIt(t *testing.T) {
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("there is no ssh-keygen on this machine: only Go has read the keys")
	}
	keys, err := sshkey.New("demo")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "id_ed25519")
	require.NoError(t, os.WriteFile(file, keys.Private, 0o400))
	out, err := exec.CommandContext(t.Context(), keygen, "-y", "-f", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	if !bytes.Equal(out, keys.Public) {
		t.Errorf("ssh-keygen finds %s, not %s", out, keys.Public)
	}
}
