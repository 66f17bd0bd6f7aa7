package lifecycle

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Disruption is what a Pod says about why others have it go: its condition DisruptionTarget.
type Disruption struct {
	// PodUID is that of the Pod; what is said of any other is ignored.
	PodUID types.UID
	// Reason is one word of Kubernetes, and Message is for people; whoever observes them bounds their length.
	Reason, Message string
}

// disruptedBy are the reasons that Kubernetes gives.
var disruptedBy = map[string]string{
	"PreemptionByScheduler":  "preempted by the scheduler",
	"DeletionByTaintManager": "evicted from a node with a taint that it does not tolerate",
	"EvictionByEvictionAPI":  "evicted through the API",
	"DeletionByPodGC":        "deleted by the garbage collector of Pods, as its node is gone",
	"TerminationByKubelet":   "terminated by the kubelet",
}

// takeAway decides an attempt whose Pod others have go, in the Pod's own words if it has any, and else in ours.
func (t task) takeAway(otherwise string) {
	s := completion.Predefined(completion.CodePodExternalDeleted, otherwise)
	if d := t.view().Disruption; d != nil && d.PodUID == *t.status().AttemptStatus.PodUID {
		s.Diagnostics, s.Source = d.diagnostics(), &v1.CompletionSource{Plugin: v1.SourceKubernetes, Rule: d.Reason}
	}
	t.decide(v1.TaskAttemptCompletionStatus{CompletionStatus: s})
}

func (d *Disruption) diagnostics() string {
	what, known := disruptedBy[d.Reason]
	text := "Pod was " + what
	if !known {
		text = "Pod was disrupted: " + d.Reason
	}
	if d.Message != "" {
		text += ": " + d.Message
	}
	return text
}
