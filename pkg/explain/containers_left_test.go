package explain

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// If a Task runs only because of a remaining container, the answer states this and the remedy, with or without the condition.
func TestContainersLeft(t *testing.T) {
	f := ended(v1.CompletionStatus{}, nil)
	f.Status.State, f.Status.AttemptStatus.CompletionStatus = v1.AttemptRunning, nil
	task := &f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0]
	task.State, task.AttemptStatus.CompletionStatus, task.AttemptStatus.PodName = v1.AttemptRunning, nil, "train-worker-0"
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train-worker-0"}}
	pod.Spec = corev1.PodSpec{NodeName: "n", RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main"}, {Name: "proxy"}}}
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
		{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, FinishedAt: metav1.NewTime(halfPastFour)}}},
		{Name: "proxy", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
	}}
	tell := func() string {
		facts := Facts{Framework: f, Now: halfPastFour.Add(time.Second), Pods: []corev1.Pod{*pod}}
		return strings.Join(Task(facts, "worker", 0).Lines(), "\n")
	}
	if said := tell(); !strings.Contains(said, "Container main exited with code 3, but proxy is still running and keeps the Pod running.") ||
		!strings.Contains(said, "native sidecar") {
		t.Errorf("it says\n%s", said)
	}
	f.Status.Conditions = []metav1.Condition{{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue, Reason: string(reason.ContainersLeft),
		Message: "Task worker-0 (Pod train-worker-0 on node n): container main has ended, but proxy is still running and keeps the Pod running: exit code 3, Error"}}
	if said := tell(); strings.Count(said, "proxy is still running") != 1 || strings.Count(said, "native sidecar") != 1 {
		t.Errorf("with the condition it says\n%s", said)
	}
	pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	f.Status.Conditions = nil
	if said := tell(); strings.Contains(said, "still running") {
		t.Errorf("of a Pod whose containers all run it says\n%s", said)
	}
}
