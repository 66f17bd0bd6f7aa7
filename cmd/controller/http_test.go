package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An address that cannot be used ends the program before it connects to anything, with a line that names the flag.
func TestBadAddressEndsTheProgram(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	for address, want := range map[string]string{
		taken.Addr().String(): "address already in use: choose another address",
		"192.0.2.1:8080":      "cannot assign requested address: choose another address",
		"8080":                "is not host:port or :port",
	} {
		got := start(t, "--config", file, "--http-address", address)
		lines := strings.Split(strings.TrimSuffix(got.stderr, "\n"), "\n")
		last := lines[len(lines)-1]
		if got.code != 1 || !strings.HasPrefix(last, "frameworkcontroller: --http-address: ") || !strings.Contains(last, want) {
			t.Errorf("%s: exit code %d, %q", address, got.code, last)
		}
	}
}
