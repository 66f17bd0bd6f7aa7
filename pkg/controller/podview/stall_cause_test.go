package podview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// The reason why a Pod does not start is found in its status.
func TestStallCauseOf(t *testing.T) {
	start := metav1.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	later := metav1.NewTime(start.Add(time.Minute))
	waiting := func(reason, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "c", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}
	}
	running := corev1.ContainerStatus{Name: "c", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: later}}}
	ended := corev1.ContainerStatus{Name: "i", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: later}}}
	crashed := func(times int32, s corev1.ContainerStatus) corev1.ContainerStatus {
		s.RestartCount = times
		s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error", Message: "no\nluck"}
		return s
	}
	exits := func(code int32, s corev1.ContainerStatus) corev1.ContainerStatus {
		s = crashed(1, s)
		s.LastTerminationState.Terminated.ExitCode = code
		return s
	}
	tests := map[string]struct {
		phase       corev1.PodPhase
		node        string
		inits, apps []corev1.ContainerStatus
		want        string
	}{
		"no node":                    {"Pending", "", nil, nil, ""},
		"not seen by its node":       {"Pending", "n", nil, nil, "PodNotStarted  at 0s: "},
		"being created":              {"Pending", "n", nil, []corev1.ContainerStatus{waiting("ContainerCreating", "")}, "PodNotStarted  at 0s: "},
		"init runs":                  {"Pending", "n", []corev1.ContainerStatus{running}, []corev1.ContainerStatus{waiting("PodInitializing", "")}, ""},
		"init has ended":             {"Pending", "n", []corev1.ContainerStatus{ended}, []corev1.ContainerStatus{waiting("PodInitializing", "")}, "PodNotStarted  at 1m0s: "},
		"runs":                       {"Running", "n", nil, []corev1.ContainerStatus{running}, ""},
		"image":                      {"Pending", "n", nil, []corev1.ContainerStatus{running, waiting("ErrImagePull", "not found")}, "ImageNotPulled c at 0s: ErrImagePull: not found"},
		"image, in other words":      {"Pending", "n", nil, []corev1.ContainerStatus{waiting("ImagePullBackOff", "")}, "ImageNotPulled c at 0s: ImagePullBackOff"},
		"init image":                 {"Pending", "n", []corev1.ContainerStatus{waiting("InvalidImageName", "")}, []corev1.ContainerStatus{waiting("ErrImagePull", "")}, "ImageNotPulled c at 0s: InvalidImageName"},
		"no secret":                  {"Pending", "n", nil, []corev1.ContainerStatus{waiting("CreateContainerConfigError", "no secret")}, "ContainerNotStarted c at 0s: CreateContainerConfigError: no secret"},
		"a reason that nobody knows": {"Pending", "n", nil, []corev1.ContainerStatus{waiting("Dreaming", "")}, "ContainerNotStarted c at 0s: Dreaming"},
		"started again once":         {"Running", "n", nil, []corev1.ContainerStatus{crashed(1, running)}, ""},
		"init started again once":    {"Pending", "n", []corev1.ContainerStatus{crashed(1, waiting("CrashLoopBackOff", ""))}, nil, ""},
		"init that says it is of no use to start it again": {"Pending", "n", []corev1.ContainerStatus{exits(210, waiting("CrashLoopBackOff", "back-off 10s"))}, nil, "ContainerCrashing c at 0s: exit code 210, Error: no luck"},
		"it runs again":               {"Pending", "n", []corev1.ContainerStatus{exits(210, running)}, nil, "ContainerCrashing c at 0s: exit code 210, Error: no luck until 11m0s"},
		"crashes":                     {"Running", "n", nil, []corev1.ContainerStatus{crashed(3, waiting("CrashLoopBackOff", "back-off 40s"))}, "ContainerCrashing c at 0s: exit code 3, Error: no luck"},
		"crashes, and runs just now":  {"Running", "n", nil, []corev1.ContainerStatus{crashed(4, running)}, "ContainerCrashing c at 0s: exit code 3, Error: no luck until 11m0s"},
		"has ended":                   {"Failed", "n", nil, []corev1.ContainerStatus{crashed(4, ended)}, ""},
		"long words":                  {"Pending", "n", nil, []corev1.ContainerStatus{waiting("E", strings.Repeat("ä", 999))}, "ContainerNotStarted c at 0s: E: " + strings.Repeat("ä", 198)},
		"image gone after some crash": {"Running", "n", nil, []corev1.ContainerStatus{crashed(9, waiting("ErrImageNeverPull", ""))}, "ImageNotPulled c at 0s: ErrImageNeverPull"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: test.node}}
			p.Status = corev1.PodStatus{Phase: test.phase, StartTime: &start, InitContainerStatuses: test.inits, ContainerStatuses: test.apps}
			got := ""
			if d := PodOf(p, true).StallCause; d != nil {
				got = fmt.Sprintf("%s %s at %s: %s", d.Reason, d.Container, d.Since.Sub(start.Time), d.Words)
				if !d.Over.IsZero() {
					got += fmt.Sprintf(" until %s", d.Over.Sub(start.Time))
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A container that has ended permanently may have been the purpose of the Pod, and others keep the Pod running.
func TestContainersLeft(t *testing.T) {
	at := metav1.Date(2024, 1, 1, 0, 0, 9, 0, time.UTC)
	running := func(name string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	}
	ended := func(name string, exit int32) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: exit, Reason: "Why", FinishedAt: at}}}
	}
	waits := corev1.ContainerStatus{Name: "z", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}
	tests := map[string]struct {
		policy   corev1.RestartPolicy
		statuses []corev1.ContainerStatus // the kubelet sorts them by name; the first container of the spec is main
		want     string
	}{
		"all run":                  {"Never", []corev1.ContainerStatus{running("a"), running("main")}, ""},
		"the first succeeded":      {"Never", []corev1.ContainerStatus{running("a"), ended("main", 0)}, "main, a: exit code 0, Why"},
		"the first failed":         {"Never", []corev1.ContainerStatus{ended("main", 1), running("proxy")}, "main, proxy: exit code 1, Why"},
		"another succeeded":        {"Never", []corev1.ContainerStatus{ended("a", 0), running("main")}, ""},
		"another failed":           {"Never", []corev1.ContainerStatus{ended("a", 2), running("main")}, "a, main: exit code 2, Why"},
		"three run on":             {"Never", []corev1.ContainerStatus{running("a"), ended("main", 0), running("o"), running("p")}, "main, a and 2 more: exit code 0, Why"},
		"it is started again":      {"Always", []corev1.ContainerStatus{running("a"), ended("main", 0)}, ""},
		"a failure is tried again": {"OnFailure", []corev1.ContainerStatus{running("a"), ended("main", 1)}, ""},
		"a success is not":         {"OnFailure", []corev1.ContainerStatus{running("a"), ended("main", 0)}, "main, a: exit code 0, Why"},
		"nothing runs":             {"Never", []corev1.ContainerStatus{ended("main", 0), waits}, ""},
		"it is alone":              {"Never", []corev1.ContainerStatus{running("main")}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "n", RestartPolicy: test.policy, Containers: []corev1.Container{{Name: "main"}, {Name: "a"}}}}
			p.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &metav1.Time{}, ContainerStatuses: test.statuses}
			*p.Status.StartTime = metav1.NewTime(at.Add(-time.Hour))
			got := ""
			if d := PodOf(p, true).StallCause; d != nil {
				got = fmt.Sprintf("%s, %s: %s", d.Container, d.Left, d.Words)
				if d.Reason != reason.ContainersLeft || !d.Since.Equal(at.Time) {
					t.Errorf("%s since %s", d.Reason, d.Since)
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
