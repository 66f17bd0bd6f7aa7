package clustertest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// AuditLog is what an API server writes down of the requests to it.
type AuditLog struct {
	Path string
}

// Audit returns the flags with which an API server keeps a log by that policy, in YAML. The files are in dir.
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

// Entries returns what the log has after so many bytes of it, which are whole lines. T has the fields of an audit event
// that matter to the caller.
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
