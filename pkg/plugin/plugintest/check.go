package plugintest

import (
	"errors"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// What people read may be so long, in bytes. The controller cuts what is longer; a plugin should not leave it to chance
// where.
const (
	maxText = 4 << 10
	maxRule = 256
)

// CheckVerdicts reports in what an answer breaks the contract; nil if in nothing.
func CheckVerdicts(q *pluginpb.ClassifyRequest, a *pluginpb.ClassifyResponse) error {
	asked, pending := map[string]bool{}, map[string]bool{}
	for _, pod := range q.GetPods() {
		asked[pod.GetUid()], pending[pod.GetUid()] = true, pod.GetPending() != nil
	}
	var mistakes []error
	for _, v := range a.GetVerdicts() {
		if !asked[v.GetUid()] {
			mistakes = append(mistakes, fmt.Errorf("a verdict on %q, which is not in the question, or a second one", v.GetUid()))
		}
		asked[v.GetUid()] = false
		texts := errors.Join(checkTexts(v.GetDiagnostics(), v.GetRule()), checkTexts(v.GetRefusal(), ""), checkReason(v.GetAvoidNode()))
		check := answers.CheckVerdict
		if pending[v.GetUid()] {
			check = answers.CheckPendingVerdict
		}
		_, wrong := check(v)
		if err := errors.Join(wrong, texts); err != nil {
			mistakes = append(mistakes, fmt.Errorf("verdict on %q: %w", v.GetUid(), err))
		}
	}
	return errors.Join(mistakes...)
}

// maxReason is for why a node is avoided.
const maxReason = 1 << 10

func checkReason(a *pluginpb.AvoidNode) error {
	if n := len(a.GetReason()); n > maxReason {
		return fmt.Errorf("avoid_node.reason is too long: %d bytes", n)
	}
	return nil
}

// CheckDecision reports in what an answer breaks the contract; nil if in nothing.
func CheckDecision(q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) error {
	_, err := answers.CheckDecision(q, a)
	return errors.Join(err, checkTexts(a.GetMessage(), a.GetRule()), checkTexts(a.GetRefusal(), ""))
}

// CheckHints reports in what an answer breaks the contract; nil if in nothing.
func CheckHints(q *pluginpb.HintRequest, a *pluginpb.HintResponse) error {
	_, err := answers.CheckHints(q, a)
	return errors.Join(err, checkTexts(a.GetRefusal(), ""))
}

func checkTexts(text, rule string) error {
	if len(text) > maxText || len(rule) > maxRule {
		return fmt.Errorf("texts are too long: %d bytes for people, the rule %d", len(text), len(rule))
	}
	return nil
}
