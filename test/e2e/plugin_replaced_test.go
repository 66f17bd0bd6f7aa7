package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// classifierFor configures the plugin that is replaced. It is waited for, so a question that got lost would show.
func classifierFor(code int) string {
	return fmt.Sprintf("- {name: replaced, kind: FailureClassifier, command: go-replaced, failurePolicy: Wait, parameters: {exitCode: %d}}\n", code)
}

// A plugin is replaced while Frameworks run, in each way that is noticed: a change of the configuration file, with and without a signal,
// and a change of the program itself.
func TestPluginIsReplaced(t *testing.T) {
	installPlugins(t)
	program := filepath.Join(pluginDir(), "go-replaced")
	require.NoError(t, copyFile(filepath.Join(pluginDir(), "go-classifier"), program))
	t.Cleanup(func() { os.Remove(program) })
	withPlugins(t, classifierFor(42))
	s := newStory(t)
	before := onlyPlugin(t)
	judgedWith(s, "first", 42)

	replace := func(how string, code int, change func()) {
		stop := s.keepFailing(how)
		change()
		after := awaitOther(t, before)
		judgedWith(s, how, code)
		before = after
		stop()
	}
	replace("file", 43, func() { configurePlugins(t, classifierFor(43)) })
	replace("signal", 44, func() {
		configurePlugins(t, classifierFor(44))
		controller.run.Signal(syscall.SIGHUP)
	})
	replace("program", 44, func() {
		// As builds differ, so do files: bytes after the end of a program do not matter to it.
		text, err := os.ReadFile(program)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(program+".next", append(text, "another build"...), 0o755))
		require.NoError(t, os.Rename(program+".next", program))
		controller.run.Signal(syscall.SIGHUP)
	})
}

func onlyPlugin(t *testing.T) int {
	t.Helper()
	for pid := range awaitPlugins(t, 1) {
		return pid
	}
	return 0
}

// awaitOther returns the process that has replaced an ended one.
func awaitOther(t *testing.T, before int) int {
	t.Helper()
	var found map[int]string
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		found = pluginProcesses(t)
		return len(found) == 1 && found[before] == "", nil
	})
	if err != nil {
		t.Fatalf("process %d was not replaced, there are %v", before, found)
	}
	return slices.Collect(maps.Keys(found))[0]
}

// judgedWith checks that a failure with that code gets the plugin's verdict.
func judgedWith(s *story, name string, code int) {
	s.t.Helper()
	s.create(name, exitsOnce("[]", int32(code)))
	_, first := s.endOf(name)
	if first.Phrase != "LicenseServerBusy" || first.Source == nil || first.Source.Rule != fmt.Sprintf("exit code %d", code) {
		s.t.Errorf("%s: exit code %d is %+v by %+v", name, code, first, first.Source)
	}
}

// keepFailing makes Frameworks that fail all the time. Each asks the plugin, which has no opinion on their exit code, and
// all have to end.
func (s *story) keepFailing(name string) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	made := make(chan []string)
	go func() {
		var names []string
		for ctx.Err() == nil {
			name := fmt.Sprintf("%s%d", name, len(names))
			if err := s.tryCreate(s.t.Context(), name, exitsOnce("[]", 7)); err != nil {
				s.t.Error(err)
				break
			}
			names = append(names, name)
			select {
			case <-time.After(50 * time.Millisecond): // a replacement may take no more than 200 ms
			case <-ctx.Done():
			}
		}
		made <- names
	}()
	return func() {
		s.t.Helper()
		cancel()
		names := <-made
		if len(names) < 3 {
			s.t.Errorf("only %d Frameworks ran meanwhile", len(names))
		}
		for _, name := range names {
			f := s.awaitState(name, v1.Completed, 0)
			if got, want := describe(f.Status), failedWith("code=7 ContainerUnrecognizedFailed"); got != want {
				s.t.Errorf("%s: got:\n%swant:\n%s", name, got, want)
			}
		}
	}
}
