package consult_test

import (
	"testing"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A Pod with texts that are not UTF-8, as the API server may store them, can be asked about: otherwise neither the question nor others in
// the same call could be sent.
func TestQuestionIsUTF8(t *testing.T) {
	t.Parallel()
	const bad = "a\xffb"
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{bad: bad}, Annotations: map[string]string{bad: bad}},
		Spec:       corev1.PodSpec{NodeName: bad},
		Status: corev1.PodStatus{
			Phase: corev1.PodFailed, Reason: bad, Message: bad,
			Conditions: []corev1.PodCondition{{Type: bad, Status: bad, Reason: bad, Message: bad}},
			ContainerStatuses: []corev1.ContainerStatus{
				{Name: bad, Image: bad, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: bad, Message: bad}}},
				{Name: "b", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: bad, Message: bad}}},
			},
		},
	}
	outcome := completion.Pod{Name: "a-w-0", Reason: bad, Message: bad, Containers: []completion.Container{
		{Name: bad}, {Name: "b", Terminated: true, Reason: bad, Message: bad},
	}}
	q := consult.NewFailedPod(&pluginpb.Framework{}, lifecycle.TaskRef{Role: "w"}, pod, outcome).Question
	if _, err := proto.Marshal(q); err != nil {
		t.Fatal(err)
	}
	if got := q.GetAnnotations()["a\ufffdb"]; got != "a\ufffdb" {
		t.Errorf("the annotation is %q", got)
	}
}

// The outcome of a Pod with completion containers leaves out containers that continue to run. Each of the others keeps its own details.
func TestQuestionHasTheContainersOfTheOutcome(t *testing.T) {
	t.Parallel()
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}
	pod := &corev1.Pod{Status: corev1.PodStatus{
		InitContainerStatuses: []corev1.ContainerStatus{{Name: "prepare", Image: "p"}},
		ContainerStatuses: []corev1.ContainerStatus{
			{Name: "proxy", Image: "x", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
			{Name: "main", Image: "m", RestartCount: 2, State: ended},
			{Name: "shipper", Image: "s"},
		},
	}}
	outcome := completion.Pod{Containers: []completion.Container{{Name: "prepare", Init: true}, {Name: "main", Terminated: true, Code: 1}}}
	got := map[string]string{}
	for _, c := range consult.NewFailedPod(&pluginpb.Framework{}, lifecycle.TaskRef{Role: "w"}, pod, outcome).Question.GetContainers() {
		got[c.GetName()] = c.GetImage()
	}
	if len(got) != 2 || got["prepare"] != "p" || got["main"] != "m" {
		t.Errorf("the images are %v", got)
	}
}
