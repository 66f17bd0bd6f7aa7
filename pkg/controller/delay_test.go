package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// What keeps a Pod from getting going is known from its status.
func TestDelayOf(t *testing.T) {
	t.Parallel()
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
	tests := map[string]struct {
		phase       corev1.PodPhase
		node        string
		inits, apps []corev1.ContainerStatus
		want        string
	}{
		"no node":                     {"Pending", "", nil, nil, ""},
		"not seen by its node":        {"Pending", "n", nil, nil, "PodNotStarted  at 0s: "},
		"being created":               {"Pending", "n", nil, []corev1.ContainerStatus{waiting("ContainerCreating", "")}, "PodNotStarted  at 0s: "},
		"init runs":                   {"Pending", "n", []corev1.ContainerStatus{running}, []corev1.ContainerStatus{waiting("PodInitializing", "")}, ""},
		"init has ended":              {"Pending", "n", []corev1.ContainerStatus{ended}, []corev1.ContainerStatus{waiting("PodInitializing", "")}, "PodNotStarted  at 1m0s: "},
		"runs":                        {"Running", "n", nil, []corev1.ContainerStatus{running}, ""},
		"image":                       {"Pending", "n", nil, []corev1.ContainerStatus{running, waiting("ErrImagePull", "not found")}, "ImageNotPulled c at 0s: ErrImagePull: not found"},
		"image, in other words":       {"Pending", "n", nil, []corev1.ContainerStatus{waiting("ImagePullBackOff", "")}, "ImageNotPulled c at 0s: ImagePullBackOff"},
		"init image":                  {"Pending", "n", []corev1.ContainerStatus{waiting("InvalidImageName", "")}, []corev1.ContainerStatus{waiting("ErrImagePull", "")}, "ImageNotPulled c at 0s: InvalidImageName"},
		"no secret":                   {"Pending", "n", nil, []corev1.ContainerStatus{waiting("CreateContainerConfigError", "no secret")}, "ContainerNotStarted c at 0s: CreateContainerConfigError: no secret"},
		"a reason that nobody knows":  {"Pending", "n", nil, []corev1.ContainerStatus{waiting("Dreaming", "")}, "ContainerNotStarted c at 0s: Dreaming"},
		"started again once":          {"Running", "n", nil, []corev1.ContainerStatus{crashed(1, running)}, ""},
		"init started again once":     {"Pending", "n", []corev1.ContainerStatus{crashed(1, waiting("CrashLoopBackOff", ""))}, nil, ""},
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
			if d := podview.PodOf(p, true).Delay; d != nil {
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

// startsWith is what a kubelet says of a Pod's containers since then.
func (w *world) startsWith(pod, since, reason, message string) {
	w.Set(apitest.Pods, pod, "node-1", "spec", "nodeName")
	w.Set(apitest.Pods, pod, since, "status", "startTime")
	w.Set(apitest.Pods, pod, []any{map[string]any{
		"name": "main", "state": map[string]any{"waiting": map[string]any{"reason": reason, "message": message}},
	}}, "status", "containerStatuses")
}

// An image that cannot be pulled is told of in words, once, however often the kubelet words it anew.
func TestImageThatCannotBePulled(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2))
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.startsWith("a-w-1", longAgo, "ErrImagePull", "no such image")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because ImageNotPulled")
	w.warnedOnce("a", "ImageNotPulled")
	w.eventually("the node is stored", func() bool { return *w.task("a", "w", 1).AttemptStatus.PodNodeName == "node-1" })
	writes := len(w.Requests(statusWrites))
	for n := range 20 {
		reason := []string{"ImagePullBackOff", "ErrImagePull"}[n%2]
		w.startsWith("a-w-1", longAgo, reason, fmt.Sprintf("try %d", n))
	}
	w.never("it is written again", func() bool { return len(w.Requests(statusWrites)) > writes || w.warnings("a")["ImageNotPulled"] > 1 })
}

// A Pod that has got a node has a minute to start, and costs no status write in it.
func TestPodThatDoesNotStart(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", tasks(2))
	w.taskReaches("a", "w", 1, v1.AttemptPreparing)
	w.startsWith("a-w-0", time.Now().UTC().Add(-30*time.Second).Format(time.RFC3339), "ContainerCreating", "")
	w.never("it is told at once", func() bool { return w.condition("a", v1.ConditionWaiting) != "" })
	w.startsWith("a-w-1", longAgo, "ContainerCreating", "")
	w.conditionBecomes("a", v1.ConditionWaiting, "True because PodNotStarted")
	w.warnedOnce("a", "PodNotStarted")
	w.RunPod("a-w-1")
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
}

// A Pod that starts is not remembered until it has taken too long. It is looked at again then, together with others.
func TestPodsThatStartAreNotRemembered(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_000_003, 0)
	r := &record{memory: memory{dependents: dependents{stalls: map[lifecycle.TaskRef]lifecycle.Stall{}}}}
	ref := lifecycle.TaskRef{Role: "w"}
	view := lifecycle.PodView{Pod: &lifecycle.Pod{UID: "u", Delay: &lifecycle.Delay{Reason: lifecycle.ReasonPodNotStarted, Since: start}}}
	r.noteStall(ref, view, start.Add(59*time.Second))
	if want := time.Unix(1_000_070, 0); len(r.dependents.stalls) > 0 || !r.schedule.retryAt.Equal(want) {
		t.Errorf("remembered: %v; looked at again at %s, want %s", r.dependents.stalls, r.schedule.retryAt, want)
	}
	r.noteStall(ref, view, r.schedule.retryAt)
	if len(r.dependents.stalls) != 1 {
		t.Error("it is not remembered after a minute")
	}
	view.Pod.Delay = nil
	r.noteStall(ref, view, r.schedule.retryAt)
	if len(r.dependents.stalls) > 0 {
		t.Error("it is still remembered when it runs")
	}
}
