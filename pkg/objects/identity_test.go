package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

var (
	podIdentity = objects.Identity{
		ControllerKind: "ConfigMap", ControllerUID: "C",
		FrameworkName: "demo", FrameworkUID: "F", FrameworkAttemptID: 2,
		TaskRole: "worker", TaskIndex: 7, ConfigMapUID: "C", TaskUID: "T", TaskAttemptID: 3,
	}
	configMapIdentity = objects.Identity{
		ControllerKind: "Framework", ControllerUID: "F",
		FrameworkName: "demo", FrameworkUID: "F", FrameworkAttemptID: 2,
	}
)

func builtPod(t *testing.T) *corev1.Pod {
	t.Helper()
	body, err := objects.NewPodBuilder("worker", nil).Build(demoTask)
	require.NoError(t, err)
	pod := &corev1.Pod{}
	require.NoError(t, json.Unmarshal(body, pod))
	return pod
}

func TestIdentifyWhatWasBuilt(t *testing.T) {
	if id, ok := objects.Identify(builtPod(t)); !ok || id != podIdentity {
		t.Errorf("pod: got %+v, %v", id, ok)
	}
	configMap := objects.ConfigMap(demoTask.Framework, demoTask.FrameworkAttemptID)
	if id, ok := objects.Identify(configMap); !ok || id != configMapIdentity {
		t.Errorf("configmap: got %+v, %v", id, ok)
	}
	if _, ok := objects.Identify(&metav1.PartialObjectMetadata{ObjectMeta: configMap.ObjectMeta}); !ok {
		t.Error("metadata only: not recognised")
	}
}

func TestIdentifyEditedPod(t *testing.T) {
	annotate := func(key, value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Annotations[key] = value }
	}
	tests := []struct {
		name string
		edit func(*corev1.Pod)
		want func(*objects.Identity)
	}{
		{"no annotations", func(p *corev1.Pod) { p.Annotations, p.Labels = nil, nil }, func(id *objects.Identity) {
			id.FrameworkUID, id.FrameworkAttemptID, id.ConfigMapUID, id.TaskUID, id.TaskAttemptID = "", -1, "", "", -1
		}},
		{"names are not read from annotations", annotate("FC_TASK_INDEX", "9"), func(*objects.Identity) {}},
		{"attempt is not a number", annotate("FC_TASK_ATTEMPT_ID", "x"), func(id *objects.Identity) { id.TaskAttemptID = -1 }},
		{"attempt is negative", annotate("FC_TASK_ATTEMPT_ID", "-3"), func(id *objects.Identity) { id.TaskAttemptID = -1 }},
		{"attempt is written oddly", annotate("FC_TASK_ATTEMPT_ID", "+3"), func(id *objects.Identity) { id.TaskAttemptID = -1 }},
		{"attempt is too large", annotate("FC_FRAMEWORK_ATTEMPT_ID", "2147483648"), func(id *objects.Identity) { id.FrameworkAttemptID = -1 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pod, want := builtPod(t), podIdentity
			test.edit(pod)
			test.want(&want)
			if id, ok := objects.Identify(pod); !ok || id != want {
				t.Errorf("got %+v, %v\nwant %+v", id, ok, want)
			}
		})
	}
}

func TestIdentifyForeign(t *testing.T) {
	tests := map[string]func(*corev1.Pod){
		"no owner":                  func(p *corev1.Pod) { p.OwnerReferences = nil },
		"owner is no controller":    func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil },
		"controller without UID":    func(p *corev1.Pod) { p.OwnerReferences[0].UID = "" },
		"other kind":                func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "ReplicaSet" },
		"other ConfigMap":           func(p *corev1.Pod) { p.OwnerReferences[0].Name = "settings" },
		"ConfigMap of another name": func(p *corev1.Pod) { p.OwnerReferences[0].Name = "other-attempt" },
		"name without index":        func(p *corev1.Pod) { p.Name = "demo-worker" },
		"pod under a Framework":     func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "Framework" },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			pod := builtPod(t)
			edit(pod)
			if id, ok := objects.Identify(pod); ok || id != (objects.Identity{}) {
				t.Errorf("got %+v, %v", id, ok)
			}
		})
	}
}
