package podview

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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

// The memory of a Pod that has failed is seen in each form of it: as a whole, as watched and as trimmed.
func TestMemoryOfAFailedPod(t *testing.T) {
	container := func(name, limit string) corev1.Container {
		return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit), corev1.ResourceCPU: resource.MustParse("1")},
			Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
		}}
	}
	whole := &corev1.Pod{
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{container("init", "2Gi")}, Containers: []corev1.Container{container("main", "3Gi"), {Name: "proxy"}},
		},
		Status: corev1.PodStatus{
			Phase:                 corev1.PodFailed,
			InitContainerStatuses: []corev1.ContainerStatus{{Name: "init"}}, ContainerStatuses: []corev1.ContainerStatus{{Name: "main"}, {Name: "proxy"}},
		},
	}
	raw, err := whole.Marshal()
	require.NoError(t, err)
	var watched WatchedPod
	require.NoError(t, watched.Unmarshal(raw))
	for name, p := range map[string]*corev1.Pod{"whole": whole, "watched": &watched.Pod, "cached": &NewCachedPod(&watched, false).Pod} {
		var got []string
		for _, c := range OutcomeOf(p).Containers {
			got = append(got, fmt.Sprint(c.Name, " ", c.MemoryLimit>>30, " ", c.MemoryRequest>>30))
		}
		require.Equal(t, []string{"init 2 1", "main 3 1", "proxy 0 0"}, got, name)
	}
}

// Classification gets the containers of a failed Pod: init containers first, sidecars marked, and only with their final ends, not
// the ends before a restart.
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
