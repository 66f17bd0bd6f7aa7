package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A mistake names the flag and the way out.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"--no-auth":                               "choose a loopback address",
		"--no-auth --address localhost:1":         "choose a loopback address",
		"--address 8443":                          "--address: \"8443\" is not host:port",
		"--metrics-address here":                  "--metrics-address",
		"--retain soon":                           "such as 90d",
		"--retain -1h":                            "such as 90d",
		"--retain-bytes much":                     "such as 8Gi",
		"--retain-log-bytes much":                 "such as 4Gi",
		"--tls-cert a":                            "give both or none",
		"backup":                                  "name the file to write",
		"backup a b":                              "unexpected argument \"b\"",
		"save a":                                  "unknown command \"save\"",
		"--colour":                                "colour",
		"--database-file /nowhere/url":            "--database-file: open /nowhere/url",
		"--database-file /dev/null":               "/dev/null is empty",
		"--database a --database-file b":          "give one of them",
		"backup --database /nowhere/h.db /tmp/no": "/nowhere/h.db",
		"--no-auth --address 127.0.0.1:0 --database /nowhere/h.db": "/nowhere/h.db",
	} {
		err := run(t.Context(), strings.Fields(text))
		require.ErrorContains(t, err, want, text)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "logs.yaml")
	require.NoError(t, os.WriteFile(file, []byte("tail: 1"), 0o600))
	for config, want := range map[string]string{file: file, filepath.Join(dir, "none"): "--logs-config"} {
		err := run(t.Context(), []string{"--no-auth", "--address", "127.0.0.1:0", "--database", filepath.Join(dir, "h.db"), "--logs-config", config})
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, run(t.Context(), []string{"version"}))
	require.NoError(t, run(t.Context(), []string{"--help"}))
}

// It serves until it is asked to end; its database exists afterwards, and can be copied meanwhile.
func TestServe(t *testing.T) {
	api, metrics, dir := freeAddress(t), freeAddress(t), t.TempDir()
	database, backup := filepath.Join(dir, "h.db"), filepath.Join(dir, "copy.db")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--no-auth", "--address", api, "--metrics-address", metrics, "--database", database})
	}()
	require.Eventually(t, func() bool { return get("http://"+api+"/readyz") == "ok" }, 30*time.Second, 20*time.Millisecond)
	require.JSONEq(t, `{"items":[]}`, get("http://"+api+"/api/v1/frameworks"))
	require.Contains(t, get("http://"+metrics+"/metrics"), "# TYPE ")
	named := filepath.Join(dir, "database")
	require.NoError(t, os.WriteFile(named, []byte(database+"\n"), 0o600))
	require.NoError(t, run(t.Context(), []string{"backup", "--database-file", named, backup}))
	require.FileExists(t, backup)
	stop()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
	require.FileExists(t, database)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// get returns the body; empty after an error.
func get(url string) string {
	answer, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(body))
}
