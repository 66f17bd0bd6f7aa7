package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// If others delete a Pod, the outcome names them and their reason as far as the Pod does. The code, and with it the retry, is
// unchanged.
func TestDisruption(t *testing.T) {
	const said = "default-scheduler: preempting to accommodate a higher priority pod"
	preempted := disruptionOf("r0-0", "PreemptionByScheduler", said)
	tests := map[string]struct {
		view   lifecycle.PodView
		want   string
		source *v1.CompletionSource
	}{
		"terminating": {lifecycle.PodView{Pod: &lifecycle.Pod{UID: "r0-0", Cached: true, Deleting: true}, Disruption: preempted},
			"Pod was preempted by the scheduler: " + said, &v1.CompletionSource{Plugin: "Kubernetes", Rule: "PreemptionByScheduler"}},
		"gone": {lifecycle.PodView{Gone: "r0-0", Disruption: preempted},
			"Pod was preempted by the scheduler: " + said, &v1.CompletionSource{Plugin: "Kubernetes", Rule: "PreemptionByScheduler"}},
		"for another reason": {lifecycle.PodView{Gone: "r0-0", Disruption: disruptionOf("r0-0", "Rebalanced", "")},
			"Pod was disrupted: Rebalanced", &v1.CompletionSource{Plugin: "Kubernetes", Rule: "Rebalanced"}},
		"without a word":       {lifecycle.PodView{Gone: "r0-0"}, "Pod was deleted by others", nil},
		"about an earlier Pod": {lifecycle.PodView{Gone: "r0-0", Disruption: &lifecycle.Disruption{PodUID: "r0-0-before"}}, "Pod was deleted by others", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state, observed := running(t, roles(2))
			in := inputOf(state, roles(2))
			in.Observed = observed
			ref := lifecycle.TaskRef{Role: "r0"}
			in.Observed.Pods[ref] = test.view
			s := lifecycle.Step(in).State.Task(ref).AttemptStatus.CompletionStatus
			if s == nil || s.Code != -101 || s.Phrase != "PodExternalDeleted" || s.Diagnostics != test.want {
				t.Fatalf("got %+v, want %q", s, test.want)
			}
			if (s.Source == nil) != (test.source == nil) || s.Source != nil && *s.Source != *test.source {
				t.Errorf("the source is %+v, want %+v", s.Source, test.source)
			}
		})
	}
}

// The first outcome stays: if a Pod ends by itself, or the controller deletes it, a later disruption changes nothing.
func TestDisruptionOfWhatHasEnded(t *testing.T) {
	in, ref := failing(t, 2)
	out := lifecycle.Step(in)
	in.Saved = out.State
	view := in.Observed.Pods[ref]
	view.Pod.Deleting, view.Disruption = true, disruptionOf(view.Pod.UID, "EvictionByEvictionAPI", "")
	in.Observed.Pods[ref] = view
	settled(&in)
	if s := in.Saved.Task(ref).AttemptStatus.CompletionStatus; s.Code != 42 || s.Source != nil || strings.Contains(s.Diagnostics, "evict") {
		t.Errorf("got %+v", s)
	}
}

func disruptionOf(pod types.UID, reason, message string) *lifecycle.Disruption {
	return &lifecycle.Disruption{PodUID: pod, Disruption: completion.Disruption{Reason: reason, Message: message}}
}

// A Pod is preempted, evicted through the API, or loses its node. Its condition, its end and its deletion come in any order, and
// rounds may see each of them or several at once. The retry is never counted, the node is never blamed, and the reason is stored
// if the Pod has reported it by the time of the decision.
func TestDisruptionInEachOrder(t *testing.T) {
	for _, reason := range []string{"PreemptionByScheduler", "EvictionByEvictionAPI", "DeletionByPodGC", "DeletionByTaintManager", "TerminationByKubelet"} {
		for _, order := range [][]string{
			{"condition", "failed", "deletion"}, {"condition", "deletion", "failed"}, {"deletion", "condition", "failed"},
			{"deletion", "failed", "condition"}, {"condition", "failed"}, {"condition", "deletion"}, {"deletion", "condition"},
			{"condition"}, {"deletion"},
		} {
			for rounds := range 1 << len(order) { // one bit per step: whether a round follows it
				t.Run(fmt.Sprintf("%s %s %b", reason, order, rounds), func(t *testing.T) { disruptedInOrder(t, reason, order, rounds) })
			}
		}
	}
}

// disruptedInOrder has a round after each step whose bit in rounds is set.
func disruptedInOrder(t *testing.T, reason string, order []string, rounds int) {
	s := newDisruptionStory(t, reason)
	for i, step := range order {
		s.step(step)
		if rounds>>i&1 == 1 {
			s.round()
		}
	}
	s.goes()
	s.requireUncounted(t)
}

// disruptionStory is about the Pod of one Task that may only be retried without being counted.
type disruptionStory struct {
	reason string
	in     lifecycle.Input
	view   lifecycle.PodView
	// outcome is the first stored outcome; said is whether the Pod had reported the reason by then.
	outcome *v1.TaskAttemptCompletionStatus
	said    bool
}

var disruptedTask = lifecycle.TaskRef{Role: "r0"}

func newDisruptionStory(t *testing.T, reason string) *disruptionStory {
	spec := roles(2)
	state, observed := running(t, spec)
	spec.TaskRoles[0].Task.RetryPolicy = v1.RetryPolicySpec{FancyRetryPolicy: true, AvoidNodes: &v1.AvoidNodesSpec{Mode: v1.AvoidRequire}}
	s := &disruptionStory{reason: reason, in: inputOf(state, spec), view: observed.Pods[disruptedTask]}
	s.in.Observed = observed
	s.view.Pod.NodeName = "n"
	s.round()
	return s
}

func (s *disruptionStory) step(step string) {
	pod := *s.view.Pod
	switch step {
	case "condition":
		s.view.Disruption = disruptionOf(pod.UID, s.reason, "")
	case "failed":
		pod.Phase, pod.Outcome = lifecycle.PodFailed, completion.Pod{Containers: []completion.Container{{Name: "c"}}}
	case "deletion":
		pod.Deleting = true
	}
	if s.view.Disruption != nil && pod.Phase == lifecycle.PodFailed {
		pod.Outcome.Disruption = &s.view.Disruption.Disruption
	}
	s.view.Pod = &pod
}

func (s *disruptionStory) round() {
	s.in.Observed.Pods[disruptedTask] = s.view
	s.in.Saved = lifecycle.Step(s.in).State
	if outcome := s.in.Saved.Task(disruptedTask).AttemptStatus.CompletionStatus; s.outcome == nil && outcome != nil {
		s.outcome, s.said = outcome, s.view.Disruption != nil
	}
}

// goes removes the Pod and lets its Task continue as far as it can.
func (s *disruptionStory) goes() {
	s.view.Gone, s.view.Pod = s.view.Pod.UID, nil
	s.round()
	settled(&s.in)
}

func (s *disruptionStory) requireUncounted(t *testing.T) {
	t.Helper()
	if s.outcome == nil || s.outcome.Code != -101 || (s.outcome.Source != nil) != s.said || s.said && s.outcome.Source.Rule != s.reason ||
		s.outcome.Pod != nil {
		t.Errorf("it ended with %s, and the Pod had said why: %v", text(s.outcome), s.said)
	}
	task := s.in.Saved.Task(disruptedTask)
	if r := task.RetryPolicyStatus; r.TotalRetriedCount != 1 || r.AccountableRetriedCount != 0 {
		t.Errorf("the retries are %+v", r)
	}
	if avoided := s.in.Saved.Framework().AvoidedNodes; len(avoided) > 0 {
		t.Errorf("avoided are %+v", avoided)
	}
}
