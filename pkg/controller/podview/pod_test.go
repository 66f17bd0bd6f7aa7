package podview

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The deletionTimestamp lies in the future by the grace period; the timeout counts from the beginning of termination.
func TestTerminationBeginsBeforeItsTimestamp(t *testing.T) {
	stamp := metav1.NewTime(time.Date(2024, 1, 1, 0, 10, 0, 0, time.UTC))
	for grace, want := range map[int64]time.Duration{0: 0, 30: 30 * time.Second, 600: 10 * time.Minute} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &stamp, DeletionGracePeriodSeconds: &grace}}
		seen := PodOf(p, true)
		if got := stamp.Sub(seen.TerminationStart); !seen.Deleting || got != want {
			t.Errorf("grace period of %d s: it began %v before its timestamp", grace, got)
		}
	}
}

// What classification is told of a failed Pod: init containers first, which of them are sidecars, and only how
// containers ended for good, not how they ended before they were restarted.
func TestOutcomeOfAPod(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	ended := func(name string, code int32) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}}
	}
	restarted := corev1.ContainerStatus{Name: "restarted", LastTerminationState: ended("", 9).State}
	p := &corev1.Pod{
		Spec: corev1.PodSpec{InitContainers: []corev1.Container{{Name: "init"}, {Name: "sidecar", RestartPolicy: &always}}},
		Status: corev1.PodStatus{
			Phase:                 corev1.PodFailed,
			InitContainerStatuses: []corev1.ContainerStatus{ended("init", 1), ended("sidecar", 2)},
			ContainerStatuses:     []corev1.ContainerStatus{ended("main", 3), restarted},
			EphemeralContainerStatuses: []corev1.ContainerStatus{
				ended("debugger", 4),
			},
		},
	}
	got := PodOf(trimPod(p), true).Outcome.Containers
	want := []struct {
		name                          string
		init, restartable, terminated bool
		code                          int32
	}{
		{"init", true, false, true, 1},
		{"sidecar", true, true, true, 2},
		{"main", false, false, true, 3},
		{"restarted", false, false, false, 0},
	}
	if len(got) != len(want) {
		t.Fatalf("there are %+v", got)
	}
	for i, w := range want {
		g := got[i]
		if g.Name != w.name || g.Init != w.init || g.Restartable != w.restartable || g.Terminated != w.terminated || g.Code != w.code {
			t.Errorf("got %+v, want %+v", g, w)
		}
	}
}
