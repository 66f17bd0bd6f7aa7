package checker

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// checkShadows requires that each verdict in shadow is about an attempt of a Task that failed, once, and compared with the outcome that the
// attempt has in the history, unless no judgment ended it.
func (c *memory) checkShadows(m Remembered, gaps []Gap) {
	outcomes := map[string]historyapi.Completion{}
	for _, t := range m.Tasks {
		outcomes[attemptOfRow(t)] = t.Completion
	}
	there := map[string]bool{}
	for _, v := range m.Shadows {
		key := attemptOfShadow(v)
		name := fmt.Sprintf("verdict of %s in shadow on %s", shadowOf(v), key)
		switch wrong := c.compareShadow(key, v, outcomes); {
		case there[name]:
			c.Wrong = append(c.Wrong, name+" is in the history twice")
		case !c.begun[key] && c.mayBeUnseen(gaps, types.UID(v.FrameworkUID)):
			c.Undecided++
		case !c.begun[key]:
			c.Wrong = append(c.Wrong, name+" is in the history, and its attempt was never seen")
		case wrong != "":
			c.Wrong = append(c.Wrong, name+" "+wrong)
		default:
			c.Shadows++
		}
		there[name] = true
	}
}

// compareShadow returns how the decision of a verdict contradicts the outcome of its attempt. An attempt that is not in the history has the
// outcome that was seen. Another decision is right if something else ended the attempt before it was stored.
func (c *memory) compareShadow(key string, v historyapi.ShadowVerdict, outcomes map[string]historyapi.Completion) string {
	is, known := outcomes[key]
	p, ended := c.pasts[key]
	switch {
	case known && is.Type == string(v1.CompletionSucceeded), !known && ended && p.code == 0:
		return "is about an attempt that did not fail"
	case known && isVerdict(is.Code) && !sameOutcome(is, v.Decision):
		return fmt.Sprintf("was compared with %s, and the attempt ended with %s", brief(v.Decision), brief(is))
	case !known && ended && p.judged && p.code != v.Decision.Code:
		return fmt.Sprintf("was compared with %s, and %d was decided", brief(v.Decision), p.code)
	}
	return ""
}

// sameOutcome does not compare who decided: the built-in rules come to the verdicts of the plugin that has them.
func sameOutcome(a, b historyapi.Completion) bool {
	return a.Code == b.Code && a.Phrase == b.Phrase && a.Type == b.Type && slices.Equal(slices.Sorted(slices.Values(a.Attributes)), slices.Sorted(slices.Values(b.Attributes)))
}

func brief(c historyapi.Completion) string {
	facts := append([]string{fmt.Sprint(c.Code), c.Phrase, c.Type}, c.Attributes...)
	return strings.Join(slices.DeleteFunc(facts, func(s string) bool { return s == "" }), " ")
}

func attemptOfRow(t historyapi.TaskAttempt) string {
	return taskKey(t.FrameworkUID, t.FrameworkAttempt, t.Role, t.Index, t.TaskUID, t.Attempt)
}

func attemptOfShadow(v historyapi.ShadowVerdict) string {
	return taskKey(v.FrameworkUID, v.FrameworkAttempt, v.Role, v.Index, v.TaskUID, v.Attempt)
}

// shadowOf names the plugin or the rule.
func shadowOf(v historyapi.ShadowVerdict) string {
	if v.Plugin != "" {
		return "plugin " + v.Plugin
	}
	return fmt.Sprintf("rule %d", v.Rule)
}
