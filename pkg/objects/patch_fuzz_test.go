package objects_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// FuzzPatched: for any template and plugin's patch, and any permission to patch, the Pod still belongs to its Task: its name, namespace,
// controller and marks are ours.
func FuzzPatched(f *testing.F) {
	for template, patch := range map[string]*pluginpb.PodPatch{
		`{"metadata":{"namespace":"kube-system","labels":{"FC_FRAMEWORK_NAME":"x"}},"spec":{"containers":[{"name":"a","env":[{"name":"FC_POD_UID"}]}]}}`: {
			TaskRole: "worker", Labels: map[string]string{"FC_TASK_INDEX": "9"}, Annotations: map[string]string{"FC_TASK_UID": "y", "{{FC_POD_NAME}}": "z"},
			SpecJson: []byte(`{"containers":[{"name":"a","image":"b"},{"$patch":"delete","name":"a"}]}`)},
		`{"spec":{"containers":[null]}}`: {SpecJson: []byte(`{"$patch":"replace"}`), TolerationsJson: []byte(`[{}]`), AffinityJson: []byte(`{"a":1}`)},
		`{}`:                             {Containers: []*pluginpb.ContainerPatch{{EnvJson: []byte(`[{"name":"A"}]`), Limits: map[string]string{"cpu": "1"}}}},
		``:                               {SchedulingGates: []string{"a"}, SchedulerName: "s", NodeSelector: map[string]string{"k": "v"}},
	} {
		b, err := proto.Marshal(patch)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(template), b)
	}
	f.Fuzz(func(t *testing.T, template, patchBytes []byte) {
		patch := &pluginpb.PodPatch{}
		if proto.Unmarshal(patchBytes, patch) != nil {
			return
		}
		patched, err := objects.Patched(demoTask.RoleName, template, patch)
		if err != nil {
			return
		}
		body, err := objects.NewPodBuilder(demoTask.RoleName, patched).Build(demoTask)
		if err != nil {
			return
		}
		holdIdentity(t, body)
	})
}

// holdIdentity reads a Pod as the API server does, which distinguishes "Name" from "name".
func holdIdentity(t *testing.T, body []byte) {
	t.Helper()
	var pod struct {
		Metadata struct {
			Name            string         `json:"name"`
			Namespace       string         `json:"namespace"`
			Labels          map[string]any `json:"labels"`
			Annotations     map[string]any `json:"annotations"`
			OwnerReferences []any          `json:"ownerReferences"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(body, &pod); err != nil {
		return // other metadata than an API server takes
	}
	m := pod.Metadata
	if m.Name != v1.PodName(demoTask.Framework.Name, demoTask.RoleName, demoTask.Index) || m.Namespace != demoTask.Framework.Namespace ||
		m.Labels[v1.KeyFrameworkName] != demoTask.Framework.Name || m.Annotations[v1.KeyTaskUID] != demoTask.UID || len(m.OwnerReferences) == 0 {
		t.Fatalf("not the Pod of its Task: %s", body)
	}
	last, err := json.Marshal(m.OwnerReferences[len(m.OwnerReferences)-1])
	require.NoError(t, err)
	var owner metav1.OwnerReference
	if json.Unmarshal(last, &owner) != nil || owner.UID != demoTask.ConfigMapUID || owner.Controller == nil || !*owner.Controller {
		t.Fatalf("not owned by its ConfigMap: %s", body)
	}
	whole := &corev1.Pod{}
	if json.Unmarshal(body, whole) != nil {
		return
	}
	if id, ok := objects.Identify(whole); ok && (id.TaskUID != demoTask.UID || id.TaskRole != demoTask.RoleName) {
		t.Fatalf("taken for another Task's: %+v in %s", id, body)
	}
}
