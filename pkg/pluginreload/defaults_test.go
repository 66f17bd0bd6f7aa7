package pluginreload

import (
	"reflect"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

// Only the plugin that judges by podFailureSpec takes it over, and only if it has no rules of its own; an empty list
// counts.
func TestDefaultParameters(t *testing.T) {
	own := map[string]any{"podFailureSpec": []any{}}
	c := &config.Config{PluginSpecs: []config.PluginSpec{
		{Name: "bare", Command: "classifier-podpattern"},
		{Name: "path", Command: "/opt/classifier-podpattern", Parameters: map[string]any{"other": 1}},
		{Name: "own", Command: "classifier-podpattern", Parameters: own},
		{Name: "else", Command: "classifier-exitcodes"},
	}}
	code := int32(300)
	got := PluginsOf(c, []completion.RuleSpec{{Code: &code, Phrase: "P"}})
	for i, want := range []struct{ rules, other bool }{{true, false}, {true, true}} {
		rules, _ := got[i].Parameters["podFailureSpec"].([]any)
		if _, other := got[i].Parameters["other"]; len(rules) != 1 || other != want.other {
			t.Errorf("%s: %v", got[i].Name, got[i].Parameters)
		}
	}
	if !reflect.DeepEqual(got[2].Parameters, own) || got[3].Parameters != nil {
		t.Errorf("own %v, else %v", got[2].Parameters, got[3].Parameters)
	}
	if len(c.PluginSpecs[1].Parameters) != 1 {
		t.Errorf("the configuration itself was changed: %v", c.PluginSpecs[1].Parameters)
	}
}
