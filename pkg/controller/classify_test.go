package controller

import (
	"testing"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// A Pod with texts that are not UTF-8, as the API server may store them, can be asked about: such a question could not be
// sent, nor those that go with it.
func TestQuestionIsUTF8(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.kill() // its records are ours then
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
	r := w.c.queue.records.get(w.key("a"))
	q := w.c.asker.question(r, lifecycle.TaskRef{Role: "w"}, pod).Question
	if _, err := proto.Marshal(q); err != nil {
		t.Fatal(err)
	}
	if got := q.GetAnnotations()["a\ufffdb"]; got != "a\ufffdb" {
		t.Errorf("the annotation is %q", got)
	}
}
