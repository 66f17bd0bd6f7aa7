package podview

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// A Pod has logs once one of its containers has started, even after trimming. A container's start is no event.
func TestHasLogs(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	one := func(s corev1.ContainerState) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{Name: "c", State: s}}
	}
	again := one(waiting)
	again[0].LastTerminationState, again[0].RestartCount = ended, 1
	for name, test := range map[string]struct {
		phase       corev1.PodPhase
		inits, apps []corev1.ContainerStatus
		want        bool
	}{
		"new":                          {"", nil, nil, false},
		"pending":                      {"Pending", nil, one(waiting), false},
		"an init container runs":       {"Pending", one(running), nil, true},
		"an init container has ended":  {"Pending", one(ended), one(waiting), true},
		"an init container is retried": {"Pending", again, one(waiting), true},
		"a container is retried":       {"Pending", nil, again, true},
		"running":                      {"Running", nil, one(running), true},
		"succeeded":                    {"Succeeded", nil, nil, true},
		"failed":                       {"Failed", nil, one(ended), true},
		"an init container failed":     {"Failed", one(ended), one(waiting), true},
		"refused by its node":          {"Failed", nil, nil, false},
		"evicted before it started":    {"Failed", one(waiting), one(waiting), false},
		"on a lost node":               {"Unknown", nil, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "n"}, Status: corev1.PodStatus{Phase: test.phase, InitContainerStatuses: test.inits, ContainerStatuses: test.apps}}
			trimmed := trimPod(p)
			if whole, short := PodOf(p, true), PodOf(trimmed, true); whole.HasLogs != test.want || short.HasLogs != test.want || whole.Unstarted != short.Unstarted {
				t.Errorf("%t, trimmed %t", whole.HasLogs, short.HasLogs)
			}
		})
	}
	before := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "n"}, Status: corev1.PodStatus{Phase: corev1.PodPending}}
	after := before.DeepCopy()
	after.Status.InitContainerStatuses = one(ended)
	if Changed(&CachedPod{Pod: *trimPod(before)}, &CachedPod{Pod: *trimPod(after)}) {
		t.Error("that a container has started is an event")
	}
}
