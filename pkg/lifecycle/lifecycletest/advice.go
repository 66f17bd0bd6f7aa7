package lifecycletest

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// advise: "advise a-0 [restart=Role] [delay=30] [giveup]": from now on a classifier judges failed Pods at once, as the rules do,
// and adds this advice to failures of the Task.
func (s *Story) advise(args []string, _ string) error {
	if len(args) == 0 {
		return fmt.Errorf("advise wants a Task")
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	advice := &v1.RetryAdvice{}
	err = parseArgs(args[1:], map[string]parser{
		"restart": func(value string) error { advice.Restart = v1.RestartScope(value); return nil },
		"delay":   func(value string) error { return parseInto(value, &advice.DelaySec) },
		"giveup":  func(string) error { advice.GiveUpAttempt = true; return nil },
	})
	c := s.controller
	c.asking.Classification, c.full = true, true
	if c.advice == nil {
		c.advice = map[lifecycle.TaskRef]*v1.RetryAdvice{}
	}
	if c.advice[n.ref] = advice; *advice == (v1.RetryAdvice{}) {
		delete(c.advice, n.ref)
	}
	return err
}

// verdict is the classifier's verdict on a failed Pod; nil if there is none. Unless it advises, each answer is a command
// (blame.go).
func (c *controller) verdict(ref lifecycle.TaskRef, pod *lifecycle.Pod) *lifecycle.Verdict {
	if c.advice == nil {
		return c.questions.verdicts[ref]
	}
	if !c.asking.Classification || pod == nil || pod.Phase != lifecycle.PodFailed {
		return nil
	}
	status := c.config.Rules.Classify(pod.Outcome)
	status.Source = &v1.CompletionSource{Plugin: "judge"}
	return &lifecycle.Verdict{PodUID: pod.UID, Status: status, Advice: c.advice[ref]}
}
