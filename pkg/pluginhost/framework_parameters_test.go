package pluginhost

import (
	"context"
	"reflect"
	"testing"
)

// Frameworks may set the parameters that the configuration lists, or else the ones that the plugin declares, or else any. A question asked
// while the plugin starts waits for its declaration.
func TestFrameworkParameters(t *testing.T) {
	listed := func(c Config, keys ...string) Config {
		c.FrameworkParameters = append([]string{}, keys...)
		return c
	}
	w := newWorld(t, config("silent-about-it", "sdk"), config("narrow", "narrow"), config("closed", "closed"),
		listed(config("widened", "narrow"), "queue", "flavors"), listed(config("shut", "sdk")), listed(config("not-started", "exit"), "a"))
	for name, want := range map[string][]string{
		"silent-about-it": nil, "narrow": {"queue"}, "closed": {}, "widened": {"queue", "flavors"}, "shut": {}, "not-started": {"a"},
	} {
		got, err := w.FrameworkParameters(t.Context(), name)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v; want %#v", name, got, err, want)
		}
	}
}

func TestFrameworkParametersAreUnknown(t *testing.T) {
	w := newWorld(t, config("fails", "exit"), config("hangs", "silent"))
	_, err := w.FrameworkParameters(t.Context(), "fails")
	wantFault(t, err, NotRunning, "exit")
	_, err = w.FrameworkParameters(t.Context(), "no such")
	wantFault(t, err, NotConfigured, "is not configured")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.FrameworkParameters(ctx, "hangs"); err != context.Canceled {
		t.Errorf("after the caller has given up: %v", err)
	}
}

// A list in the configuration takes effect at once, and the process does not notice.
func TestFrameworkParametersAreReloaded(t *testing.T) {
	c := config("p", "narrow")
	w := newWorld(t, c)
	if _, err := w.FrameworkParameters(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	before := w.health("p").PID
	c.FrameworkParameters = []string{"flavors"}
	w.Reload([]Config{c})
	got, err := w.FrameworkParameters(t.Context(), "p")
	if err != nil || !reflect.DeepEqual(got, []string{"flavors"}) || w.health("p").PID != before {
		t.Errorf("%q, %v, process %d; it was %d", got, err, w.health("p").PID, before)
	}
}
