package completion

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// Disruption is the Pod's condition DisruptionTarget: Kubernetes ends a Pod that could have gone on.
type Disruption struct {
	// Reason is one word of Kubernetes, and Message is for people; the observer bounds their length.
	Reason, Message string
}

// disruptedBy are the reasons that Kubernetes gives.
var disruptedBy = map[string]string{
	"PreemptionByScheduler":  "preempted by the scheduler",
	"DeletionByTaintManager": "evicted because it does not tolerate a taint of its node",
	"EvictionByEvictionAPI":  "evicted through the eviction API",
	"DeletionByPodGC":        "deleted by the Pod garbage collector because its node no longer exists",
	"TerminationByKubelet":   "terminated by the kubelet",
}

// Status returns the completion status of a disrupted Pod: CodePodExternalDeleted, with the reason as its source.
func (d Disruption) Status() v1.CompletionStatus {
	s := Predefined(CodePodExternalDeleted, d.diagnostics())
	s.Source = &v1.CompletionSource{Plugin: v1.SourceKubernetes, Rule: d.Reason}
	return s
}

func (d Disruption) diagnostics() string {
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
