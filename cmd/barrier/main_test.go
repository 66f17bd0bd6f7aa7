package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

func TestVersion(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"--version"}, os.Getenv, &out, &out); code != 0 || out.String() != version.Number()+"\n" {
		t.Errorf("exit code %d, %q", code, out.String())
	}
}

// The log and the termination message name the mistake.
func TestInvalidEnvironment(t *testing.T) {
	words := filepath.Join(t.TempDir(), "termination-log")
	require.NoError(t, os.WriteFile(words, nil, 0o644))
	env := map[string]string{"BARRIER_TERMINATION_LOG": words}
	var out bytes.Buffer
	code := run(t.Context(), nil, func(name string) string { return env[name] }, &out, &out)
	text, _ := os.ReadFile(words)
	if code != 210 || !strings.Contains(out.String(), "FC_FRAMEWORK_NAME") || !strings.Contains(string(text), "FC_FRAMEWORK_NAME") {
		t.Errorf("exit code %d, %q, %q", code, out.String(), text)
	}
}

// A path that does not name a container's termination log is not created.
func TestNoTerminationLog(t *testing.T) {
	words := filepath.Join(t.TempDir(), "termination-log")
	env := map[string]string{"BARRIER_TERMINATION_LOG": words}
	run(t.Context(), nil, func(name string) string { return env[name] }, &bytes.Buffer{}, &bytes.Buffer{})
	if _, err := os.Stat(words); err == nil {
		t.Error("there is a termination log now")
	}
}
