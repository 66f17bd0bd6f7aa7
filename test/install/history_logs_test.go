package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
)

const withLogs = "history.enabled=true,history.logs.enabled=true"

// With logs, the server gets a configuration that it accepts, and the controller asks it; without logs, there is none of that.
func TestHistoryLogs(t *testing.T) {
	all := template(t, "--set", withLogs+`,history.logs.tailBytes=2Mi,history.logs.redact={token=\\S+},history.logs.roles={worker},`+
		"history.logs.containers={main},history.logs.onSuccess=tail,history.logs.earlyHead=true")
	var config corev1.ConfigMap
	into(t, all["ConfigMap "+name+"/"+historyName+"-logs"].Object, &config)
	pod := podOf(t, all, historyName)
	args := strings.Join(pod.Containers[0].Args, " ")
	require.Contains(t, args, "--retain-log-bytes=4Gi")
	_, file, _ := strings.Cut(args, "--logs-config=")
	file, _, _ = strings.Cut(file, " ")
	for _, m := range pod.Containers[0].VolumeMounts {
		for _, v := range pod.Volumes {
			if m.MountPath == filepath.Dir(file) && v.Name == m.Name {
				require.Equal(t, config.Name, v.ConfigMap.Name)
			}
		}
	}
	parsed, err := logs.ParseConfig([]byte(config.Data[filepath.Base(file)]))
	require.NoError(t, err)
	require.Equal(t, logs.Limits{Head: 64 << 10, Tail: 2 << 20}, parsed.Limits)
	require.True(t, parsed.OnSuccess && parsed.EarlyHead)
	require.Equal(t, []string{"worker"}, parsed.Roles)
	require.Equal(t, []string{"main"}, parsed.Containers)
	require.Equal(t, `token=\S+`, parsed.Redaction[0].String())

	plugins := configured(t, "history: {enabled: true, logs: {enabled: true}}").PluginSpecs
	require.Equal(t, true, plugins[len(plugins)-1].Parameters["logs"])
	for _, values := range []string{"history.enabled=true", "history.logs.enabled=true"} {
		for key := range template(t, "--set", values) {
			require.NotContains(t, key, "-logs")
		}
	}
}

// The manifest for users without Helm has the objects that the option adds.
func TestHistoryLogsManifest(t *testing.T) {
	text, err := os.ReadFile(deploy + "/history/logs.yaml")
	require.NoError(t, err)
	made := parse(t, string(text))
	added := template(t, "--set", withLogs)
	for key := range added {
		if !strings.HasSuffix(key, "-logs") {
			delete(added, key)
		}
	}
	requireSame(t, withLogs, added, made)
}
