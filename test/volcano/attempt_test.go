package volcano

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// attempt is an attempt of a Framework, with a plugin that is asked about it, and the resulting objects.
type attempt struct {
	t        *testing.T
	hints    plugin.SchedulerHints
	objects  dynamic.ResourceInterface
	question *pluginpb.HintRequest
}

func newAttempt(t *testing.T, name string, p plugin.Plugin, kind schema.GroupVersionResource, parameters map[string]any, s *pluginpb.Scheduling) *attempt {
	requests := map[string]string{"cpu": "1500m", "memory": "2Gi", "nvidia.com/gpu": "1"}
	return &attempt{t, p.SchedulerHints, client.Resource(kind).Namespace("default"), &pluginpb.HintRequest{
		Framework:  &pluginpb.Framework{Namespace: "default", Name: name},
		Parameters: plugintest.Parameters(t, parameters),
		Scheduling: s,
		Roles: []*pluginpb.RoleShape{
			{Name: "chief", TaskNumber: 1, Requests: map[string]string{"cpu": "1"}, ContainerNames: []string{"main"}},
			{Name: "worker", TaskNumber: 3, Requests: requests, ContainerNames: []string{"main"}, NodeSelector: map[string]string{"pool": "a"},
				TolerationsJson: []byte(`[{"key":"gpu","operator":"Exists","effect":"NoSchedule"}]`),
				AffinityJson: []byte(`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
					{"matchExpressions":[{"key":"zone","operator":"In","values":["z"]}]}]}}}`),
				ResourceClaimsJson: []byte(`[{"name":"c","resourceClaimTemplateName":"t"}]`)},
		},
	}}
}

// hint asks, and requires that the API server accepts the objects with all their fields.
func (a *attempt) hint() *pluginpb.HintResponse {
	a.t.Helper()
	answer, err := a.hints.Hint(a.t.Context(), a.question)
	require.NoError(a.t, err)
	require.NoError(a.t, plugintest.CheckHints(a.question, answer))
	if len(answer.GetObjects()) == 0 {
		a.t.Fatalf("no objects: %v", answer)
	}
	for _, o := range answer.GetObjects() {
		a.make(o)
	}
	a.question.Previous = answer
	return answer
}

// make creates an object as the controller does, or changes it.
func (a *attempt) make(o *pluginpb.Object) {
	a.t.Helper()
	wanted := &unstructured.Unstructured{}
	require.NoError(a.t, json.Unmarshal(o.GetJson(), &wanted.Object))
	if _, err := a.objects.Get(a.t.Context(), wanted.GetName(), metav1.GetOptions{}); err != nil {
		_, err := a.objects.Create(a.t.Context(), wanted, metav1.CreateOptions{FieldManager: "test", FieldValidation: metav1.FieldValidationStrict})
		require.NoError(a.t, err)
		return
	}
	if o.GetOnUpdate() == pluginpb.Object_KEEP {
		return
	}
	_, err := a.objects.Apply(a.t.Context(), wanted.GetName(), wanted, metav1.ApplyOptions{FieldManager: "test", Force: true})
	require.NoError(a.t, err)
}

// says lets the scheduler write into the status of an object. Not every kind has the status as a subresource.
func (a *attempt) says(name, status string, subresources ...string) {
	a.t.Helper()
	_, err := a.objects.Patch(a.t.Context(), name, types.MergePatchType, []byte(`{"status":`+status+`}`),
		metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}, subresources...)
	require.NoError(a.t, err)
}

// mayCreate asks about the objects as they are.
func (a *attempt) mayCreate(admitted bool) *pluginpb.MayCreateResponse {
	a.t.Helper()
	q := &pluginpb.MayCreateRequest{Framework: a.question.Framework, Roles: a.question.Roles, Parameters: a.question.Parameters, Admitted: admitted}
	for _, o := range a.question.Previous.GetObjects() {
		wanted := &unstructured.Unstructured{}
		require.NoError(a.t, json.Unmarshal(o.GetJson(), &wanted.Object))
		text := []byte(nil)
		if found, err := a.objects.Get(a.t.Context(), wanted.GetName(), metav1.GetOptions{}); err == nil {
			text, err = found.MarshalJSON()
			require.NoError(a.t, err)
		}
		q.Objects = append(q.Objects, text)
	}
	answer, err := a.hints.(plugin.Waiter).MayCreate(a.t.Context(), q)
	require.NoError(a.t, err)
	return answer
}
