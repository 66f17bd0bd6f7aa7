package explain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A Pod that gets no node because of a claim is explained with the latest event of the claim. A Pod on a node has another problem.
func TestClaimIsExplained(t *testing.T) {
	began := metav1.NewTime(halfPastFour)
	f := frameworkOf(v1.TaskStatus{State: v1.AttemptPreparing, AttemptStatus: v1.TaskAttemptStatus{PodName: "train-worker-0"}})
	f.Status.Conditions = []metav1.Condition{{Type: v1.ConditionWaiting, Status: "True", Reason: "Unschedulable", Message: "Task worker-0: no node was found", LastTransitionTime: began}}
	f.Status.Waiting = &v1.WaitingStatus{Reason: "Unschedulable", Role: "worker", Index: new(int32(0)), Pod: "train-worker-0", Since: began}
	claimed := func(claim string) corev1.Volume {
		return corev1.Volume{Name: claim, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}
	}
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "train-worker-0"},
		Spec:       corev1.PodSpec{Volumes: []corev1.Volume{{Name: "x"}, claimed("train-worker-0-data")}},
		Status:     corev1.PodStatus{Phase: corev1.PodPending},
	}
	event := corev1.Event{
		InvolvedObject: corev1.ObjectReference{Kind: "PersistentVolumeClaim", Name: "train-worker-0-data"}, Reason: "ProvisioningFailed",
		Message: `storageclass.storage.k8s.io "fast" not found`, LastTimestamp: began, Source: corev1.EventSource{Component: "persistentvolume-controller"},
	}
	const want = `The latest event of PersistentVolumeClaim train-worker-0-data is from persistentvolume-controller`
	for node, told := range map[string]bool{"": true, "node1": false} {
		pod.Spec.NodeName = node
		facts := Facts{Framework: f, Pods: []corev1.Pod{pod}, Events: []corev1.Event{event}, Now: halfPastFour}
		for name, answer := range map[string]Answer{"Framework": Framework(facts), "Task": Task(facts, "worker", 0)} {
			text := strings.Join(answer.Lines(), "\n")
			if strings.Contains(text, want) != told || told != strings.Contains(text, `storageclass.storage.k8s.io "fast" not found`) {
				t.Errorf("on node %q, the %s says\n%s", node, name, text)
			}
		}
		if names := Claims(&pod); (len(names) == 1) != told {
			t.Errorf("on node %q, the claims are %v", node, names)
		}
	}
}
