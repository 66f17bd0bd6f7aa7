package plugin_test

import (
	"math/rand/v2"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// LastFailed chooses the same container as the built-in rules.
func TestLastFailedIsThatOfTheBuiltInRules(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	none := 0
	for range 5000 {
		q := plugintest.RandomPod(r)
		want := (*completion.Rules)(nil).Classify(podverdict.Pod(q))
		if completion.IsPredefined(want, 200, 201, 210) {
			continue // these take any container
		}
		c := plugin.LastFailed(q)
		if c == nil {
			none++
		}
		isNone := completion.IsPredefined(want, completion.CodePodFailedWithoutFailedContainer, completion.CodePodExternalDeleted)
		if (c == nil) != isNone || c != nil && completion.OfExit(plugin.ExitCode(q)) != want.Code {
			t.Fatalf("%v: %v, want code %d", q, c, want.Code)
		}
	}
	if none == 0 {
		t.Error("no Pod without a failed container came up")
	}
}
