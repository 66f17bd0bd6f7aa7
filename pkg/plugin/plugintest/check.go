package plugintest

import (
	"errors"
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Maximum lengths of texts for people, in bytes. The controller cuts longer ones; a plugin should choose the place
// itself.
const (
	maxText = 4 << 10
	maxRule = 256
)

// CheckVerdicts returns the violations of the contract in an answer; nil if there are none.
func CheckVerdicts(q *pluginpb.ClassifyRequest, a *pluginpb.ClassifyResponse) error {
	asked, pending := map[string]bool{}, map[string]bool{}
	for _, pod := range q.GetPods() {
		asked[pod.GetUid()], pending[pod.GetUid()] = true, pod.GetPending() != nil
	}
	var mistakes []error
	for _, v := range a.GetVerdicts() {
		if !asked[v.GetUid()] {
			mistakes = append(mistakes, fmt.Errorf("a verdict on %q, which is not in the question or has another verdict", v.GetUid()))
		}
		asked[v.GetUid()] = false
		texts := errors.Join(checkTexts(v.GetDiagnostics(), v.GetRule()), checkTexts(v.GetRefusal(), ""), checkReason(v.GetAvoidNode()), checkRemedy(v.GetRemedy()))
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

// maxReason is the limit of the reason for avoiding a node.
const maxReason = 1 << 10

func checkReason(a *pluginpb.AvoidNode) error {
	if n := len(a.GetReason()); n > maxReason {
		return fmt.Errorf("avoid_node.reason is too long: %d bytes", n)
	}
	return nil
}

// maxRemedy is the limit of the remedy.
const maxRemedy = 1 << 10

func checkRemedy(remedy string) error {
	if n := len(remedy); n > maxRemedy {
		return fmt.Errorf("remedy is too long: %d bytes", n)
	}
	return nil
}

// CheckDecision returns the violations of the contract in an answer; nil if there are none.
func CheckDecision(q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) error {
	_, err := answers.CheckDecision(q, a)
	return errors.Join(err, checkTexts(a.GetMessage(), a.GetRule()), checkTexts(a.GetRefusal(), ""))
}

// CheckHints returns the violations of the contract in an answer; nil if there are none.
func CheckHints(q *pluginpb.HintRequest, a *pluginpb.HintResponse) error {
	_, err := answers.CheckHints(q, a)
	return errors.Join(err, checkTexts(a.GetRefusal(), ""))
}

func checkTexts(text, rule string) error {
	if len(text) > maxText || len(rule) > maxRule {
		return fmt.Errorf("texts are too long: %d bytes for people, %d for the rule", len(text), len(rule))
	}
	return nil
}
