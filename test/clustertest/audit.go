package clustertest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// AuditLog is the audit log of an API server.
type AuditLog struct {
	Path string
}

// Audit returns the flags that make an API server keep a log by that policy, in YAML. The files are in dir.
func Audit(dir, policy string) (flags []string, l AuditLog, err error) {
	l.Path = filepath.Join(dir, "audit.log")
	file := filepath.Join(dir, "policy.yaml")
	flags = []string{"--audit-policy-file=" + file, "--audit-log-path=" + l.Path}
	return flags, l, os.WriteFile(file, []byte(policy), 0o600)
}

// Size is how long the log is now, in bytes.
func (l AuditLog) Size(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(l.Path)
	require.NoError(t, err)
	return info.Size()
}

// Entries returns the entries after the first `after` bytes of the log, which are whole lines. T has the fields of an audit event that the
// caller needs.
func Entries[T any](t *testing.T, l AuditLog, after int64) (all []T) {
	t.Helper()
	text, err := os.ReadFile(l.Path)
	require.NoError(t, err)
	for line := range bytes.Lines(text[after:]) {
		if !json.Valid(line) {
			continue // it is being written, or the API server was killed meanwhile
		}
		var entry T
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, entry)
	}
	return all
}
