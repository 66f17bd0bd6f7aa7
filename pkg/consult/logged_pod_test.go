package consult_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// shown renders containers in one line.
func shown(all []*pluginpb.LoggedContainer) (out string) {
	for _, c := range all {
		out += c.GetName()
		if c.GetRunning() {
			out += " runs"
		}
		for range c.GetRestarts() {
			out += "+"
		}
		out += ";"
	}
	return out
}

// Only containers that have started may have logs.
func TestLoggedContainers(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	got := shown(consult.LoggedContainers(&corev1.PodStatus{
		InitContainerStatuses: []corev1.ContainerStatus{{Name: "init", State: ended}, {Name: "sidecar", State: running}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: running, RestartCount: 2}, {Name: "new"},
			{Name: "crashing", LastTerminationState: ended, RestartCount: 1}, {Name: "bad\xff"}},
	}))
	if want := "init;sidecar runs;main runs++;crashing+;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// For a partly known Pod, the containers come from its template, as far as they can have started by its phase.
func TestContainersOfTemplate(t *testing.T) {
	template := v1.PodTemplate(`{"spec": {"initContainers": [{"name": "init"}, {"name": "sidecar", "restartPolicy": "Always"}], "containers": [{"name": "main"}, {"name": "proxy"}]}}`)
	for _, test := range []struct {
		template v1.PodTemplate
		phase    corev1.PodPhase
		want     string
	}{
		{template, corev1.PodPending, "init;sidecar;"},
		{template, corev1.PodRunning, "init;sidecar runs;main runs;proxy runs;"},
		{template, corev1.PodFailed, "init;sidecar;main;proxy;"},
		{nil, corev1.PodRunning, ""},
		{v1.PodTemplate(`{"spec": 7}`), corev1.PodRunning, ""},
	} {
		if got := shown(consult.ContainersOfTemplate(test.template, test.phase)); got != test.want {
			t.Errorf("%s of %s: got %s, want %s", test.phase, test.template, got, test.want)
		}
	}
}

// The question has the attempt and the Framework's wishes, but neither labels nor annotations.
func TestLogsQuestion(t *testing.T) {
	of := &pluginpb.Framework{Namespace: "a", Name: "f", Uid: "u", AttemptId: 2, Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"a": "b"}}
	task := &v1.TaskStatus{InstanceUID: "t"}
	task.AttemptStatus.ID = 3
	task.AttemptStatus.CompletionStatus = &v1.TaskAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Type: v1.CompletionType{Name: v1.CompletionSucceeded}}}
	ref := lifecycle.TaskRef{Role: "w", Index: 1}
	q := consult.NewLogsQuestion(of, ref, task, nil)
	if q.GetPodName() != "f-w-1" || q.GetTaskAttemptId() != 3 || q.GetTaskUid() != "t" || q.GetFramework().GetAttemptId() != 2 || !q.GetSucceeded() || q.Wishes != nil {
		t.Errorf("got %v", q)
	}
	if f := q.GetFramework(); len(f.GetLabels())+len(f.GetAnnotations()) > 0 {
		t.Errorf("got %v", f)
	}
	task.AttemptStatus.CompletionStatus = nil
	q = consult.NewLogsQuestion(of, ref, task, &v1.TaskLogsSpec{HeadBytes: new(int64(0)), Containers: []string{"main"}})
	if w := q.GetWishes(); q.GetSucceeded() || w.HeadBytes == nil || w.TailBytes != nil || w.GetNone() || len(w.GetContainers()) != 1 {
		t.Errorf("got %v", q)
	}
}
