package consult

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// InShadow names what is asked and decides nothing: a classifier, or a rule of the configuration.
type InShadow struct {
	// Empty for a rule.
	Plugin string
	// The code of the rule; 0 for a classifier.
	Rule completion.Code
}

func (s InShadow) String() string {
	if s.Plugin != "" {
		return "plugin " + s.Plugin
	}
	return fmt.Sprintf("rule %d", s.Rule)
}

// ShadowOutcome is how a verdict in shadow compares with the one that counts.
type ShadowOutcome string

// Differs reports whether the verdict would have changed something.
func (o ShadowOutcome) Differs() bool {
	return o == ShadowOtherType || o == ShadowOtherCode || o == ShadowOtherAdvice
}

// The outcomes, as labels of metrics and in records of the history.
const (
	// ShadowSame: it is the same.
	ShadowSame ShadowOutcome = "same"
	// ShadowOtherType: it has another type, so that another retry may follow.
	ShadowOtherType ShadowOutcome = "other_type"
	// ShadowOtherCode: it has the same type, and another code or phrase.
	ShadowOtherCode ShadowOutcome = "other_code"
	// ShadowOtherAdvice: it differs in nothing but the advice about the retry, the node or the memory.
	ShadowOtherAdvice ShadowOutcome = "other_advice"
	// ShadowNoOpinion: the plugin has none, or the rule does not match, so that others would decide.
	ShadowNoOpinion ShadowOutcome = "no_opinion"
	// ShadowUnanswered: the plugin has not answered, or nothing was asked.
	ShadowUnanswered ShadowOutcome = "unanswered"
)

// AllShadowOutcomes lists the outcomes.
func AllShadowOutcomes() []ShadowOutcome {
	return []ShadowOutcome{ShadowSame, ShadowOtherType, ShadowOtherCode, ShadowOtherAdvice, ShadowNoOpinion, ShadowUnanswered}
}

// Shadowed is what a classifier or a rule in shadow says about a Pod.
type Shadowed struct {
	By      InShadow
	Outcome ShadowOutcome
	Pod     FailedPod
	// Status is what would have been stored; the zero value without a verdict.
	Status v1.CompletionStatus
	// Answer is the verdict as the classifier gave it; nil without one.
	Answer *pluginpb.Verdict
}

// InShadow returns what is asked about a Framework in shadow: classifiers in the order of questions, then rules.
func (p *Panel) InShadow(uses []v1.PluginUse) (all []InShadow) {
	if p == nil {
		return nil
	}
	for _, m := range p.shadows(uses) {
		all = append(all, InShadow{Plugin: m.config.Name})
	}
	for _, rule := range p.rules.Shadows() {
		all = append(all, InShadow{Rule: rule.Code()})
	}
	return all
}

// shadows are the classifiers that are asked and decide nothing, unless the Framework has disabled them.
func (p *Panel) shadows(uses []v1.PluginUse) (all []member) {
	for _, name := range p.host.Plugins(plugin.KindFailureClassifier) {
		c, known := p.host.Config(name)
		if !known || !c.Shadow {
			continue
		}
		m := member{config: c}
		i := slices.IndexFunc(uses, func(u v1.PluginUse) bool { return u.Name == name })
		if i >= 0 && uses[i].Disabled {
			continue
		}
		if i >= 0 {
			m = p.chosen(c, i, uses[i])
		}
		m.config.FailurePolicy = pluginhost.Wait // which has the reason why there is no answer
		all = append(all, m)
	}
	return all
}

// Shadow asks the classifiers and rules in shadow about Pods that have been judged, and passes their verdicts to told as they arrive: the ones
// of all rules together, and of each classifier. It leaves out Pods that have not failed, or whose judgment is not known yet.
func (p *Panel) Shadow(ctx context.Context, uses []v1.PluginUse, pods []FailedPod, judged map[string]Judgment, told func([]Shadowed)) {
	pods = slices.DeleteFunc(slices.Clone(pods), func(pod FailedPod) bool {
		j, known := judged[pod.Question.GetUid()]
		return pod.pending() || !known || j.Err != nil
	})
	var said []Shadowed
	for _, rule := range p.rules.Shadows() {
		for _, pod := range pods {
			status, matches := rule.Classify(pod.Outcome)
			outcome := compare(judged[pod.Question.GetUid()], Judgment{Status: status}, matches)
			said = append(said, Shadowed{By: InShadow{Rule: rule.Code()}, Outcome: outcome, Pod: pod, Status: status})
		}
	}
	if len(said) > 0 {
		told(said)
	}
	for _, m := range p.shadows(uses) {
		out, said := map[string]Judgment{}, []Shadowed(nil)
		p.classifyBy(ctx, m, pods, out, func(string, error) {})
		for _, pod := range pods {
			uid := pod.Question.GetUid()
			j, answered := out[uid]
			said = append(said, Shadowed{By: InShadow{Plugin: m.config.Name}, Outcome: compare(judged[uid], j, answered), Pod: pod, Status: j.Status, Answer: j.Answer})
		}
		if len(said) > 0 {
			told(said)
		}
	}
}

// compare tells a verdict in shadow from the one that counts.
func compare(counts, shadow Judgment, answered bool) ShadowOutcome {
	a, b := counts.Status, shadow.Status
	switch {
	case !answered:
		return ShadowNoOpinion
	case shadow.Err != nil:
		return ShadowUnanswered
	case a.Type.Name != b.Type.Name || !sameAttributes(a.Type.Attributes, b.Type.Attributes):
		return ShadowOtherType
	case a.Code != b.Code || a.Phrase != b.Phrase:
		return ShadowOtherCode
	case !reflect.DeepEqual(counts.Advice, shadow.Advice) || !reflect.DeepEqual(counts.AvoidNode, shadow.AvoidNode) || counts.MemoryFactor != shadow.MemoryFactor:
		return ShadowOtherAdvice
	}
	return ShadowSame
}

func sameAttributes(a, b []v1.CompletionTypeAttribute) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
