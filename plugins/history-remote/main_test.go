package main

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/remote"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/history-remote/remotetest"
)

func TestContract(t *testing.T) {
	server := remotetest.New(t)
	options := plugintest.Options{Parameters: server.Parameters, Refused: []plugintest.Refused{
		{Parameters: map[string]any{"url": "http://example.com"}, Mention: "url"},
		{Parameters: map[string]any{"url": "https://example.com", "spoolDirectory": "/proc/none"}, Mention: "spoolDirectory"},
	}}
	program := plugintest.Build(t, ".")
	t.Run("in process", func(t *testing.T) { plugintest.Sink(t, plugintest.InProcess(remote.New), options) })
	t.Run("as a program", func(t *testing.T) { plugintest.Sink(t, plugintest.Binary(program), options) })
	t.Run("with logs", func(t *testing.T) {
		server.Parameters["logs"] = true
		plugintest.Sink(t, plugintest.Binary(program), options)
		if len(server.Logs()) == 0 {
			t.Error("the server was not asked to collect logs")
		}
		delete(server.Parameters, "logs")
	})
	t.Run("with a spool and without the server", func(t *testing.T) {
		server.Parameters["spoolDirectory"] = t.TempDir()
		server.Down()
		plugintest.Sink(t, plugintest.Binary(program), options)
	})
}

// Records that were acknowledged while the server was away survive the kill of the plugin, and reach the server in their
// order.
func TestKill(t *testing.T) {
	server := remotetest.New(t)
	server.Parameters["spoolDirectory"] = t.TempDir()
	server.Down()
	host := pluginhost.New(pluginhost.Options{})
	t.Cleanup(host.Stop)
	host.Reload([]pluginhost.Config{{Name: "it", Kind: plugin.KindHistorySink, Command: plugintest.Build(t, "."), Parameters: server.Parameters}})
	require.NoError(t, host.AwaitReady(t.Context(), "it"))
	var want []string
	for i := range 50 {
		key := fmt.Sprint(i)
		stored, _, err := host.Store(t.Context(), "it", []*pluginpb.Record{{Key: key}})
		if err != nil || !stored[key] {
			t.Fatalf("%v, %v", stored, err)
		}
		want = append(want, key)
		if i%20 == 10 {
			require.NoError(t, syscall.Kill(host.Health()[0].PID, syscall.SIGKILL))
		}
	}
	require.NoError(t, syscall.Kill(host.Health()[0].PID, syscall.SIGKILL))
	server.Up()
	require.Eventually(t, func() bool { return slices.Equal(server.Stored(), want) }, 30*time.Second, 50*time.Millisecond)
}
