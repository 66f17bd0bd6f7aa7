package consult_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// A plugin is not asked about a Framework that sets a parameter reserved for the operator, and the author learns which one, and the remedy.
// The effect is the same as if the plugin itself had refused the parameter.
func TestParametersOfTheOperator(t *testing.T) {
	const refused = `spec.plugins[0].parameters: Frameworks may not set parameter "b" of plugin %s. Remove it, or ask the operator to add it to frameworkParameters. Allowed: `
	for _, test := range []struct {
		name       string
		allowed    []string
		parameters string
		// Parameters that the refusal allows; empty if there is no refusal.
		want string
	}{
		{"any", nil, `{"a":1,"b":2}`, ""},
		{"those that are allowed", []string{"a", "b"}, `{"a":1,"b":2}`, ""},
		{"one that is not", []string{"a"}, `{"a":1,"b":2}`, "a"},
		{"several that are not", []string{"x", "y"}, `{"c":1,"b":2}`, "x, y"},
		{"none is allowed", []string{}, `{"b":2}`, "none"},
		{"none is set", []string{}, `{}`, ""},
		{"deeper keys do not matter", []string{"a"}, `{"a":{"b":1}}`, ""},
		{"null is a value", []string{"a"}, `{"b":null}`, "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &host{opinions: []opinion{classifier("c", 1), policy("p", 0), hinter("h", nil)}}
			for i := range h.opinions {
				h.opinions[i].allowed = test.allowed
			}
			panel := consult.New(h, nil)
			uses := func(plugin string) []v1.PluginUse {
				return []v1.PluginUse{{Name: plugin, Parameters: []byte(test.parameters)}}
			}
			got := map[string]string{}
			skipped := func(plugin string, why error) { got[plugin] = refusalIn(why) }
			panel.Classify(t.Context(), uses("c"), []consult.FailedPod{failed()}, skipped)
			_, err := panel.Decide(t.Context(), uses("p"), &pluginpb.DecideRequest{}, skipped)
			got["p"] = refusalIn(err)
			_, err = panel.Hints(t.Context(), uses("h"), "", &pluginpb.HintRequest{}, nil, skipped)
			got["h"] = refusalIn(err)
			_, err = panel.MayCreate(t.Context(), uses("h"), "h", &pluginpb.MayCreateRequest{}, skipped)
			got["h, may create"] = refusalIn(err)
			for question, plugin := range map[string]string{"c": "c", "p": "p", "h": "h", "h, may create": "h"} {
				want := ""
				if test.want != "" {
					want = fmt.Sprintf(refused, plugin) + test.want
				}
				if got[question] != want {
					t.Errorf("%s: got %q, want %q", question, got[question], want)
				}
			}
			if asked := len(h.asked) > 0; asked != (test.want == "") {
				t.Errorf("asked %q", h.asked)
			}
		})
	}
}

// While the allowed parameters are unknown, the plugin counts as one that does not answer. A Framework without parameters is not affected.
func TestAllowedParametersAreUnknown(t *testing.T) {
	c, waits := classifier("c", 1), classifier("waits", 1)
	waits.config.FailurePolicy = pluginhost.Wait
	h := &host{opinions: []opinion{c, waits, hinter("h", nil)}}
	for i := range h.opinions {
		h.opinions[i].undescribed = true
	}
	panel := consult.New(h, nil)
	uses := func(plugin string) []v1.PluginUse {
		return []v1.PluginUse{{Name: plugin, Parameters: []byte(`{"a":1}`)}}
	}
	if j := panel.Classify(t.Context(), uses("c"), []consult.FailedPod{failed()}, h.skip)["u"]; j.Err != nil || !slices.Equal(h.asked, []string{"without c"}) {
		t.Errorf("%+v, asked %q", j, h.asked)
	}
	waiting := new(consult.Waiting)
	if j := panel.Classify(t.Context(), uses("waits"), []consult.FailedPod{failed()}, h.skip)["u"]; !errors.As(j.Err, &waiting) {
		t.Errorf("%+v", j)
	}
	if _, err := panel.Hints(t.Context(), uses("h"), "", &pluginpb.HintRequest{}, nil, h.skip); !errors.As(err, &waiting) {
		t.Errorf("hints: %v", err)
	}
	if _, err := panel.MayCreate(t.Context(), uses("h"), "h", &pluginpb.MayCreateRequest{}, h.skip); !errors.As(err, &waiting) {
		t.Errorf("may create: %v", err)
	}
	h.asked = nil
	if _, err := panel.Hints(t.Context(), nil, "", &pluginpb.HintRequest{}, nil, h.skip); err != nil || !slices.Equal(h.asked, []string{`h{"a":1,"b":1}`}) {
		t.Errorf("without parameters: %v, asked %q", err, h.asked)
	}
}

// The scheduler is asked whether it evicts a running attempt, whatever its author writes into the parameters.
func TestUnfitParametersDoNotKeepAnAttempt(t *testing.T) {
	h := &host{opinions: []opinion{hinter("h", nil)}}
	h.opinions[0].allowed = []string{"a"}
	panel := consult.New(h, nil)
	for _, parameters := range [][]byte{[]byte(`{"b":2}`), zeros(100_000)} {
		h.asked = nil
		uses := []v1.PluginUse{{Name: "h", Parameters: parameters}}
		_, err := panel.MayCreate(t.Context(), uses, "h", &pluginpb.MayCreateRequest{Admitted: true}, h.skip)
		if err != nil || !slices.Equal(h.asked, []string{`h{"a":1,"b":1}`}) {
			t.Errorf("%.20s: %v, asked %q", parameters, err, h.asked)
		}
	}
}
