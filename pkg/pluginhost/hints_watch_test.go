package pluginhost

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// watching is a scheduler plugin that reports two changes, and then fails.
type watching struct{}

func (watching) Hint(context.Context, *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	return nil, nil
}

func (watching) Watch(_ context.Context, changed func(namespace, name string)) error {
	changed("default", "a")
	changed("default", "b")
	return errors.New("on purpose")
}

// Changes that a plugin reports are received, also after the stream has failed, and from a new process.
func TestHintsChange(t *testing.T) {
	heard := make(chan string, 1000)
	c := config("p", "watching")
	c.Kind = plugin.KindSchedulerHints
	w := newWorld(t)
	w.onHintsChanged = func(namespace, name string) { heard <- namespace + "/" + name }
	w.Reload([]Config{c})
	w.ready("p")
	expectRounds := func(n int) {
		for range n {
			require.Equal(t, "default/a", <-heard)
			require.Equal(t, "default/b", <-heard)
		}
	}
	expectRounds(2)
	w.until("the log says why", func() bool {
		return strings.Contains(w.logged(), "plugin reports no changes") && strings.Contains(w.logged(), "on purpose")
	})
	pid := w.health("p").PID
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	w.until("another process", func() bool { h := w.health("p"); return h.State == Ready && h.PID != pid })
	for len(heard) > 0 {
		<-heard
	}
	w.until("it tells of changes", func() bool { return len(heard) > 1 })
}

// A plugin need not have a Watch, and is not asked again then.
func TestHintsWithoutWatch(t *testing.T) {
	c := config("p", "rpc")
	c.Kind = plugin.KindSchedulerHints
	w := newWorld(t)
	w.onHintsChanged = func(namespace, name string) { t.Errorf("%s/%s has changed", namespace, name) }
	w.Reload([]Config{c})
	w.ready("p")
	_, _, err := w.Hint(t.Context(), "p", &pluginpb.HintRequest{})
	if err == nil || strings.Contains(w.logged(), "does not tell of changes") {
		t.Errorf("%v\n%s", err, w.logged())
	}
}
