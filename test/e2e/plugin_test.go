package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// The tests about plugins give the controller a configuration of their own. They are not parallel, so no other story runs meanwhile; their
// parts are parallel.

// pluginDir is where the controller under test finds plugins by their names.
func pluginDir() string { return filepath.Join(kube.Dir, "plugins") }

var installed sync.Once

// installPlugins builds the example in Go for the controller under test. The shipped plugins are installed already.
func installPlugins(t *testing.T) {
	t.Helper()
	installed.Do(func() {
		if err := build(t.Context(), pluginDir()+"/", "../../example/plugin/go-classifier"); err != nil {
			t.Error(err)
		}
	})
	if _, err := os.Stat(filepath.Join(pluginDir(), "go-classifier")); err != nil {
		t.Fatal(err)
	}
}

// withPlugins restarts the controller with these plugins, the entries of a list in YAML, until the test ends.
func withPlugins(t *testing.T, plugins string) {
	t.Helper()
	installPlugins(t)
	before, err := os.ReadFile(configPath())
	require.NoError(t, err)
	downWith := func(change func()) {
		awaitStarted(t)
		controller.down(t, change)
	}
	t.Cleanup(func() {
		downWith(func() { writeConfig(t, string(before)) })
		awaitStarted(t) // the next test may end it at once
	})
	downWith(func() { configurePlugins(t, plugins) })
}

// awaitStarted returns once the controller has begun its work. Before that, it may not have asked for signals yet.
func awaitStarted(t *testing.T) {
	t.Helper()
	clustertest.Eventually(t, patience, clustertest.Holds("the controller has begun", func() bool {
		return strings.Contains(controller.run.Text(), "crd installed")
	}))
}

func configPath() string { return filepath.Join(controller.dir, "frameworkcontroller.yaml") }

// configuredPlugins is the list in the configuration, up to the next key.
var configuredPlugins = regexp.MustCompile(`(?m)^plugins:.*\n(?:(?:[- ].*)?\n)*`)

// configurePlugins changes only the plugins of the configuration.
func configurePlugins(t *testing.T, plugins string) {
	t.Helper()
	before, err := os.ReadFile(configPath())
	require.NoError(t, err)
	rest := configuredPlugins.ReplaceAllString(string(before), "")
	writeConfig(t, rest+"\nplugins:\n"+strings.TrimLeft(plugins, "\n"))
}

// writeConfig replaces the file in one step, so that no reader sees half of it.
func writeConfig(t *testing.T, text string) {
	t.Helper()
	next := configPath() + ".next"
	require.NoError(t, os.WriteFile(next, []byte(text), 0o644))
	require.NoError(t, os.Rename(next, configPath()))
}

// pluginProcesses are the processes that the controller has started, by id, with the path of their program.
func pluginProcesses(t *testing.T) map[int]string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Fatalf("looking for processes: %v", err)
	}
	out := map[int]string{}
	for _, stat := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if parent, _ := parentAndState(pid); parent == controller.run.PID() {
			if path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
				out[pid] = path
			}
		}
	}
	return out
}

// parentAndState returns zeros for a process that does not exist. State Z means that it has ended, and that nobody has waited for it yet.
func parentAndState(pid int) (parent int, state string) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, ""
	}
	// The name of the program is in parentheses, and may contain anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[0]
}

func hasEnded(pid int) bool {
	_, state := parentAndState(pid)
	return state == "" || state == "Z" || state == "X"
}

// awaitPlugins returns the processes once there are n.
func awaitPlugins(t *testing.T, n int) map[int]string {
	t.Helper()
	var found map[int]string
	clustertest.Eventually(t, patience, func(context.Context) error {
		if found = pluginProcesses(t); len(found) != n {
			return fmt.Errorf("there are not %d plugins, but %v", n, found)
		}
		return nil
	})
	return found
}

// No process of a plugin is left when its controller is gone, however it ended.
func TestPluginsEndWithController(t *testing.T) {
	withPlugins(t, `
- {name: go, kind: FailureClassifier, command: go-classifier}
- {name: podpattern, kind: FailureClassifier, command: classifier-podpattern}
- {name: taskcount, kind: CompletionPolicy, command: completion-taskcount}
`)
	for _, how := range endings {
		t.Run(how.name, func(t *testing.T) {
			plugins := awaitPlugins(t, 3)
			how.end(t)
			for pid, path := range plugins {
				err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 5*time.Second, true, func(context.Context) (bool, error) {
					return hasEnded(pid), nil
				})
				if err != nil {
					t.Errorf("%s still runs as %d: %v", path, pid, err)
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			controller.restart(t)
		})
	}
}
