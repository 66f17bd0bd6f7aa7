package lifecycle_test

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// A Pod that others have go says who, and why, as far as the Pod says so. The code, and with it what is retried, stays.
func TestDisruption(t *testing.T) {
	const said = "default-scheduler: preempting to accommodate a higher priority pod"
	preempted := &lifecycle.Disruption{PodUID: "r0-0", Reason: "PreemptionByScheduler", Message: said}
	tests := map[string]struct {
		view   lifecycle.PodView
		want   string
		source *v1.CompletionSource
	}{
		"terminating": {lifecycle.PodView{Pod: &lifecycle.Pod{UID: "r0-0", Cached: true, Deleting: true}, Disruption: preempted},
			"Pod was preempted by the scheduler: " + said, &v1.CompletionSource{Plugin: "Kubernetes", Rule: "PreemptionByScheduler"}},
		"gone": {lifecycle.PodView{Gone: "r0-0", Disruption: preempted},
			"Pod was preempted by the scheduler: " + said, &v1.CompletionSource{Plugin: "Kubernetes", Rule: "PreemptionByScheduler"}},
		"for another reason": {lifecycle.PodView{Gone: "r0-0", Disruption: &lifecycle.Disruption{PodUID: "r0-0", Reason: "Rebalanced"}},
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

// The first outcome stays: of a Pod that ends by itself, or that the controller deletes, a disruption tells nothing.
func TestDisruptionOfWhatHasEnded(t *testing.T) {
	in, ref := failing(t, 2)
	out := lifecycle.Step(in)
	in.Saved = out.State
	view := in.Observed.Pods[ref]
	view.Pod.Deleting, view.Disruption = true, &lifecycle.Disruption{PodUID: view.Pod.UID, Reason: "EvictionByEvictionAPI"}
	in.Observed.Pods[ref] = view
	settled(&in)
	if s := in.Saved.Task(ref).AttemptStatus.CompletionStatus; s.Code != 42 || s.Source != nil || strings.Contains(s.Diagnostics, "evict") {
		t.Errorf("got %+v", s)
	}
}
