package podview

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pendingPod has no node. It was created in the first second of 2024.
func pendingPod(conditions ...corev1.PodCondition) *corev1.Pod {
	p := &corev1.Pod{}
	p.CreationTimestamp = metav1.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	p.Spec.SchedulerName = "hived"
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "queue.io/admitted"}, {Name: "b"}}
	p.Status.Phase, p.Status.Conditions = corev1.PodPending, conditions
	return p
}

// notScheduled is a Pod's condition a minute after its creation.
func notScheduled(reason, message string) corev1.PodCondition {
	return corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		LastTransitionTime: metav1.Date(2024, 1, 1, 0, 1, 0, 0, time.UTC)}
}

func groupOf(name string) *corev1.PodSchedulingGroup {
	return &corev1.PodSchedulingGroup{PodGroupName: &name}
}

// Every reason for a Pod without a node is found in its status, or in the absence of a condition.
func TestCauseInScheduling(t *testing.T) {
	edited := func(p *corev1.Pod, edit func(p *corev1.Pod)) *corev1.Pod {
		edit(p)
		return p
	}
	timeless := notScheduled("SchedulingGated", "blocked")
	timeless.LastTransitionTime = metav1.Time{}
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"no room":               {pendingPod(notScheduled("Unschedulable", "0/7 nodes are\navailable")), "Unschedulable at 1m0s: 0/7 nodes are available"},
		"an error":              {pendingPod(notScheduled("SchedulerError", "no answer")), "Unschedulable at 1m0s: SchedulerError: no answer"},
		"an error, no words":    {pendingPod(notScheduled("SchedulerError", "")), "Unschedulable at 1m0s: SchedulerError"},
		"another scheduler":     {pendingPod(notScheduled("Undetermined", "not yet")), "Unschedulable at 1m0s: Undetermined: not yet"},
		"gates":                 {pendingPod(notScheduled("SchedulingGated", "blocked")), "SchedulingGated at 1m0s: queue.io/admitted, b"},
		"gates from the start":  {pendingPod(timeless), "SchedulingGated at 0s: queue.io/admitted, b"},
		"nobody has looked":     {pendingPod(), "PodNotScheduled at 0s: its schedulerName is hived"},
		"a group holds it":      {edited(pendingPod(), func(p *corev1.Pod) { p.Spec.SchedulingGroup = groupOf("train-0-all") }), "PodNotScheduled at 0s: its schedulerName is hived; its PodGroup is train-0-all"},
		"a group of no name":    {edited(pendingPod(), func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{} }), "PodNotScheduled at 0s: its schedulerName is hived"},
		"said something else":   {pendingPod(corev1.PodCondition{Type: corev1.PodReady}), "PodNotScheduled at 0s: its schedulerName is hived"},
		"scheduled":             {pendingPod(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}), ""},
		"has a node":            {edited(pendingPod(), func(p *corev1.Pod) { p.Spec.NodeName = "n" }), ""},
		"an answer's metadata":  {edited(pendingPod(), func(p *corev1.Pod) { p.Status.Phase = "" }), ""},
		"of no time":            {edited(pendingPod(), func(p *corev1.Pod) { p.CreationTimestamp = metav1.Time{} }), ""},
		"ended before it began": {edited(pendingPod(), func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			for what, p := range map[string]*corev1.Pod{"whole": test.pod, "trimmed": trimPod(test.pod)} {
				got := ""
				if d := PodOf(p, true).StallCause; d != nil {
					got = fmt.Sprintf("%s at %s: %s", d.Reason, d.Since.Sub(pendingPod().CreationTimestamp.Time), d.Words)
				}
				if got != test.want {
					t.Errorf("%s: got %q, want %q", what, got, test.want)
				}
			}
		})
	}
}

// No scheduling facts are kept for Pods with a node.
func TestTrimOfWhatIsScheduled(t *testing.T) {
	p := pendingPod(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	p.Spec.NodeName = "n"
	if out := trimPod(p); out.Spec.SchedulerName != "" || !out.CreationTimestamp.IsZero() || out.Spec.SchedulingGates != nil || out.Status.Conditions != nil {
		t.Errorf("kept: %v", out)
	}
}
