package podview

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Pod with a node that does not run is stalled, unless it waits for an init container. Trimming changes neither this nor the
// cause.
func TestUnstarted(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	start := metav1.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: start}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: start}}
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "no\nluck"}}
	}
	of := func(name string, state corev1.ContainerState) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: state}
	}
	crashed := of("i", running)
	crashed.RestartCount, crashed.LastTerminationState.Terminated = 3, &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error", Message: "no\nluck"}
	placed := []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: start}}
	tests := map[string]struct {
		phase       corev1.PodPhase
		node        string
		conditions  []corev1.PodCondition
		inits, apps []corev1.ContainerStatus
		want        bool
		says        string
	}{
		"no node":                  {"Pending", "", nil, nil, nil, false, ""},
		"a node":                   {"Pending", "n", placed, nil, nil, true, ""},
		"a node that says nothing": {"Pending", "n", nil, nil, nil, true, ""},
		"runs":                     {"Running", "n", placed, nil, []corev1.ContainerStatus{of("c", running)}, false, ""},
		"image":                    {"Pending", "n", placed, nil, []corev1.ContainerStatus{of("c", waiting("ErrImagePull"))}, true, "ErrImagePull no\nluck c"},
		"init runs":                {"Pending", "n", placed, []corev1.ContainerStatus{of("i", running)}, nil, false, ""},
		"sidecar runs":             {"Pending", "n", placed, []corev1.ContainerStatus{of("s", running)}, nil, true, ""},
		"init has ended":           {"Pending", "n", placed, []corev1.ContainerStatus{of("i", ended)}, nil, true, ""},
		"second init runs":         {"Pending", "n", placed, []corev1.ContainerStatus{of("i", ended), of("j", running)}, nil, false, ""},
		"init ends again and again": {"Pending", "n", placed, []corev1.ContainerStatus{crashed}, nil, true,
			"Error no\nluck i"},
		"one runs, and one does not": {"Pending", "n", placed, nil, []corev1.ContainerStatus{of("c", running), of("d", waiting("ContainerCreating"))}, true, ""},
		"has failed":                 {"Failed", "n", placed, nil, []corev1.ContainerStatus{of("c", ended)}, false, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: test.node, InitContainers: []corev1.Container{{Name: "i"}, {Name: "j"}, {Name: "s", RestartPolicy: &always}}}}
			p.Status = corev1.PodStatus{Phase: test.phase, Conditions: test.conditions, InitContainerStatuses: test.inits, ContainerStatuses: test.apps}
			if got := PodOf(p, true).Unstarted; got != test.want {
				t.Errorf("got %t", got)
			}
			if got := PodOf(trimPod(p), true).Unstarted; got != test.want {
				t.Errorf("trimmed: got %t", got)
			}
			reason, message, container := WordsOf(p)
			if got := reason + " " + message + " " + container; test.says != "" && got != test.says || test.says == "" && reason+message != "" {
				t.Errorf("says %q, want %q", got, test.says)
			}
			p.DeletionTimestamp = &start
			if PodOf(p, true).Unstarted {
				t.Error("it is to go, and should start")
			}
		})
	}
}
