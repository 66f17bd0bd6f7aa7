package completion

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// A rule in shadow is matched in its place and never decides, also if it has the code of a rule that does. Each is alone in shadow.
func TestShadows(t *testing.T) {
	rules := rulesFrom(t, `
- {code: 300, phrase: First, shadow: true, podPatterns: [{containers: [{codeRange: {min: 1, max: 50}}]}]}
- {code: 301, phrase: Live, podPatterns: [{containers: [{codeRange: {min: 10, max: 10}}]}]}
- {code: 302, phrase: Second, shadow: true, remedy: r, type: {attributes: [Transient]}, podPatterns: [{containers: [{codeRange: {min: 1}}]}]}
- {code: 301, phrase: Third, shadow: true, podPatterns: [{reasonRegex: Evicted}]}`)
	for exit, want := range map[int32]string{
		10:  "301 Live [300 First]",
		11:  "11 ContainerUnrecognizedFailed [300 First 302 Second]",
		60:  "60 ContainerUnrecognizedFailed [302 Second]",
		200: "200 ContainerTransientFailed []",
	} {
		if got := verdicts(rules, Pod{Containers: []Container{{Name: "main", Terminated: true, Code: exit}}}); got != want {
			t.Errorf("exit code %d: %s, not %s", exit, got, want)
		}
	}
	if got := verdicts(rules, Pod{Reason: "Evicted"}); got != "-300 PodFailedWithoutFailedContainer [301 Third]" {
		t.Errorf("evicted: %s", got)
	}
	second, _ := rules.Shadows()[1].Classify(Pod{Containers: []Container{{Terminated: true, Code: 60}}})
	if second.Remedy != "r" || !slices.Contains(second.Type.Attributes, "Transient") {
		t.Errorf("%+v", second)
	}
	if (*Rules)(nil).Shadows() != nil {
		t.Error("no rules have shadows")
	}
}

func verdicts(rules *Rules, pod Pod) string {
	s := rules.Classify(pod)
	said := []string{}
	for _, shadow := range rules.Shadows() {
		if s, ok := shadow.Classify(pod); ok {
			said = append(said, fmt.Sprint(shadow.Code(), " ", s.Phrase))
		}
	}
	return fmt.Sprint(s.Code, " ", s.Phrase, " ", said)
}

// A rule in shadow ignores containers for its own match only.
func TestShadowIgnoresContainers(t *testing.T) {
	rules := rulesFrom(t, `
- {code: 143, phrase: Term, shadow: true, podPatterns: [{containers: [{codeRange: {min: 143, max: 143}, ignoreAfterOtherFailure: true}]}]}
- {code: 300, phrase: Any, podPatterns: [{containers: [{codeRange: {min: 143, max: 143}}]}]}`)
	at := time.Unix(1000, 0)
	proxy := Container{Name: "proxy", Terminated: true, Code: 143, FinishedAt: at.Add(time.Second)}
	main := Container{Name: "main", Terminated: true, Code: 1, FinishedAt: at}
	if got := verdicts(rules, Pod{Containers: []Container{main, proxy}}); got != "300 Any []" {
		t.Errorf("stopped because of main: %s", got)
	}
	if got := verdicts(rules, Pod{Containers: []Container{proxy}}); got != "300 Any [143 Term]" {
		t.Errorf("alone: %s", got)
	}
}

// With rules in shadow, each Pod is judged as without them.
func TestShadowsChangeNothing(t *testing.T) {
	const live = `
- {code: 300, podPatterns: [{containers: [{codeRange: {min: 137, max: 143}, ignoreAfterOtherFailure: true}]}]}
- {code: 301, podPatterns: [{containers: [{codeRange: {min: 1}}]}]}`
	const shadow = `
- {code: 300, shadow: true, podPatterns: [{containers: [{codeRange: {min: 1, max: 9}, ignoreAfterOtherFailure: true}]}]}`
	without, with := rulesFrom(t, live), rulesFrom(t, shadow+live)
	codes := []int32{0, 1, 9, 137, 143, 200}
	for _, first := range codes {
		for _, second := range codes {
			for late := range 2 {
				at := time.Unix(1000, 0)
				pod := Pod{Containers: []Container{{Name: "a", Terminated: true, Code: first, FinishedAt: at},
					{Name: "b", Terminated: true, Code: second, FinishedAt: at.Add(time.Duration(late) * time.Second)}}}
				if a, b := without.Classify(pod), with.Classify(pod); a.Code != b.Code || a.Diagnostics != b.Diagnostics {
					t.Errorf("%d and %d: %+v, and in shadow %+v", first, second, a, b)
				}
			}
		}
	}
}
