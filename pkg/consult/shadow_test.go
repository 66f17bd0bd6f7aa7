package consult_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

func inShadow(o opinion) opinion {
	o.config.Shadow = true
	return o
}

// A plugin in shadow is asked after the judgment, whatever its failurePolicy, and never decides; its verdict is compared with the one that
// counts.
func TestShadow(t *testing.T) {
	b := classifier("b", 1001)
	for name, test := range map[string]struct {
		shadow opinion
		uses   []v1.PluginUse
		counts consult.Judgment // in place of the judgment of b
		want   string           // what is told of the plugin in shadow; empty if it is not asked
	}{
		"the same":                      {shadow: classifier("a", 1001), want: "same"},
		"another code":                  {shadow: classifier("a", 1000), want: "other_code"},
		"no opinion":                    {shadow: classifier("a", 0), want: "no_opinion"},
		"a fault":                       {shadow: broken(classifier("a", 1000), pluginhost.Fallback), want: "unanswered"},
		"a fault that is waited for":    {shadow: broken(classifier("a", 1000), pluginhost.Wait), want: "unanswered"},
		"a refusal":                     {shadow: refusing(classifier("a", 0), "no", pluginhost.Fallback), want: "unanswered"},
		"disabled by the Framework":     {shadow: classifier("a", 1000), uses: []v1.PluginUse{{Name: "a", Disabled: true}}},
		"chosen by the Framework":       {shadow: classifier("a", 1000), uses: []v1.PluginUse{{Name: "a"}}, want: "other_code"},
		"another type":                  {shadow: classifier("a", 7), counts: consult.Judgment{Status: status(7, v1.AttributeTransient)}, want: "other_type"},
		"another advice about the node": {shadow: classifier("a", 7), counts: consult.Judgment{Status: status(7), AvoidNode: &avoid.Advice{}}, want: "other_advice"},
		"nothing is known yet":          {shadow: classifier("a", 7), counts: consult.Judgment{Err: &consult.Waiting{}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{opinions: []opinion{inShadow(test.shadow), b}}
			p := consult.New(h, nil)
			judged := p.Classify(t.Context(), test.uses, []consult.FailedPod{failed()}, h.skip)
			if !slices.Equal(h.asked, []string{"b"}) || judged["u"].Status.Code != 1001 {
				t.Errorf("asked are %v, and %d counts", h.asked, judged["u"].Status.Code)
			}
			if test.counts.Status.Code != 0 || test.counts.Err != nil {
				judged["u"] = test.counts
			}
			told := ""
			p.Shadow(t.Context(), test.uses, []consult.FailedPod{failed()}, judged, func(all []consult.Shadowed) {
				for _, s := range all {
					told += string(s.Outcome)
				}
			})
			if told != test.want {
				t.Errorf("told is %q, not %q", told, test.want)
			}
		})
	}
}

func status(code int32, attributes ...v1.CompletionTypeAttribute) v1.CompletionStatus {
	return v1.CompletionStatus{Code: code, Phrase: "P", Type: v1.CompletionType{Name: v1.CompletionFailed, Attributes: attributes}}
}

// A Framework whose only classifier is in shadow is asked about, so that there is something to compare.
func TestOnlyShadow(t *testing.T) {
	h := &host{opinions: []opinion{inShadow(classifier("a", 1000))}}
	p := consult.New(h, nil)
	if !p.Asking(nil).Classification {
		t.Error("nobody is asked")
	}
	judged := p.Classify(t.Context(), nil, []consult.FailedPod{failed()}, h.skip)
	if len(h.asked) != 0 || judged["u"].Status.Code != 7 {
		t.Errorf("asked are %v, and %d counts", h.asked, judged["u"].Status.Code)
	}
	if all := p.InShadow(nil); !slices.Equal(all, []consult.InShadow{{Plugin: "a"}}) {
		t.Errorf("in shadow are %v", all)
	}
}

// A rule in shadow is compared with the judgment that counts, by whomever it is, and needs no plugin.
func TestRuleInShadow(t *testing.T) {
	const spec = `[{code: 300, phrase: P, shadow: true, podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]},
		{code: 301, phrase: P, type: {attributes: [Transient]}, shadow: true, podPatterns: [{containers: [{codeRange: {min: 7, max: 7}}]}]},
		{code: 302, phrase: Q, shadow: true, podPatterns: [{containers: [{codeRange: {min: 8, max: 8}}]}]}]`
	var specs []completion.RuleSpec
	require.NoError(t, yaml.Unmarshal([]byte(spec), &specs))
	rules, err := completion.Compile(specs)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		host *host
		want string
	}{
		"no plugins":    {&host{}, "rule 300 other_code, rule 301 other_type, rule 302 no_opinion, "},
		"a plugin":      {&host{opinions: []opinion{classifier("b", 300)}}, "rule 300 same, rule 301 other_type, rule 302 no_opinion, "},
		"one in shadow": {&host{opinions: []opinion{inShadow(classifier("a", 0))}}, "rule 300 other_code, rule 301 other_type, rule 302 no_opinion, plugin a no_opinion, "},
	} {
		p := consult.New(test.host, rules)
		if !p.Asking(nil).Classification {
			t.Errorf("%s: nobody is asked", name)
		}
		pods := []consult.FailedPod{failed()}
		judged := p.Classify(t.Context(), nil, pods, test.host.skip)
		told := ""
		p.Shadow(t.Context(), nil, pods, judged, func(all []consult.Shadowed) {
			for _, s := range all {
				told += fmt.Sprintf("%s %s, ", s.By, s.Outcome)
			}
		})
		if told != test.want {
			t.Errorf("%s: told is %q", name, told)
		}
	}
	if p := (*consult.Panel)(nil); p.InShadow(nil) != nil {
		t.Error("nobody is in shadow")
	}
}
