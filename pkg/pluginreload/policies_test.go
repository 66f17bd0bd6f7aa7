package pluginreload

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// A change of one plugin does not cause questions to the others.
func TestOnlyPoliciesDecideAnew(t *testing.T) {
	processes := map[string]int{}
	for i, test := range []struct {
		health pluginhost.Health
		want   bool
	}{
		{pluginhost.Health{Name: "p", Kind: plugin.KindCompletionPolicy, State: pluginhost.Starting}, false},
		{pluginhost.Health{Name: "p", Kind: plugin.KindCompletionPolicy, State: pluginhost.Ready, PID: 1}, true},
		{pluginhost.Health{Name: "c", Kind: plugin.KindFailureClassifier, State: pluginhost.Ready, PID: 2}, false},
		{pluginhost.Health{Name: "h", Kind: plugin.KindSchedulerHints, State: pluginhost.Ready, PID: 3}, false},
		{pluginhost.Health{Name: "p", Kind: plugin.KindCompletionPolicy, State: pluginhost.Failing, PID: 1}, false},
		{pluginhost.Health{Name: "p", Kind: plugin.KindCompletionPolicy, State: pluginhost.Ready, PID: 1}, false},
		{pluginhost.Health{Name: "p", Kind: plugin.KindCompletionPolicy, State: pluginhost.Ready, PID: 4}, true},
	} {
		if got := replacesPolicy(test.health, processes); got != test.want {
			t.Errorf("%d: %+v: %t", i, test.health, got)
		}
	}
	all := []pluginhost.Config{{Name: "c", Kind: plugin.KindFailureClassifier}, {Name: "p", Kind: plugin.KindCompletionPolicy}}
	if got := policiesOf(all); len(got) != 1 || got[0].Name != "p" || len(all) != 2 || all[0].Name != "c" {
		t.Errorf("policies %v of %v", got, all)
	}
}
