package checker

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// Task 1 is retried. Whatever else its Pods have than its item of the list with which the attempt began, is found: also if only the other
// Pod of the Task shows what that is, as the items are in a ConfigMap.
func TestItemsAreChecked(t *testing.T) {
	list := itemsSpec("x", "$y")
	digest := digestOf(t, list.Values)
	ref := &v1.ItemsSpec{ConfigMapKeyRef: &v1.ItemsKeyRef{Name: "params", Key: "list"}}
	for name, test := range map[string]struct {
		spec  *v1.ItemsSpec
		items [2]string // of both Pods of Task 1; "-" for none
		says  string    // empty if nothing is wrong
	}{
		"as it is to be":               {list, [2]string{"$$y", "$$y"}, ""},
		"of another Task":              {list, [2]string{"x", "x"}, `its item is "x", want "$$y"`},
		"another one after the retry":  {list, [2]string{"$$y", "x"}, `its item is "x", want "$$y"`},
		"none":                         {list, [2]string{"-", "$$y"}, "there are 2"},
		"an edit that has to wait":     {itemsSpec("x", "z"), [2]string{"$$y", "$$y"}, ""},
		"an edit that did not wait":    {itemsSpec("x", "z"), [2]string{"$$y", "z"}, `its item is "z", and was "$$y" in an earlier Pod`},
		"of a ConfigMap":               {ref, [2]string{"$$y", "$$y"}, ""},
		"of a ConfigMap that changed":  {ref, [2]string{"$$y", "z"}, `its item is "z", and was "$$y" in an earlier Pod`},
		"none of a ConfigMap, a retry": {ref, [2]string{"$$y", "-"}, "there are 2"},
	} {
		s := newScene(2)
		s.f.Spec.TaskRoles[0].Items = test.spec
		s.store(func(f *v1.Framework) {
			f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 2)}
			f.Status.AttemptStatus.TaskRoleStatuses[0].Items = digest
		})
		s.createConfigMap()
		s.run(1)
		s.giveItem(test.items[0])
		s.end(1, failure)
		s.store(task(1, func(t *v1.TaskStatus) {
			t.State, t.RetryPolicyStatus = v1.AttemptCreationPending, v1.RetryPolicyStatus{TotalRetriedCount: 1, AccountableRetriedCount: 1}
			t.AttemptStatus = v1.TaskAttemptStatus{ID: 1, PodName: t.AttemptStatus.PodName}
		}))
		s.run(1)
		s.giveItem(test.items[1])
		var told []string
		report := Check(s.h, Options{})
		for _, v := range report.Violations {
			if v.Guarantee == SameItem {
				told = append(told, v.Evidence)
			}
		}
		if all := strings.Join(told, "\n"); (test.says == "") != (all == "") || !strings.Contains(all, test.says) || report.Checks[SameItem] == 0 {
			t.Errorf("%s: got %q, want %q", name, all, test.says)
		}
	}
}

// giveItem puts an item into the environment of the Pod of Task 1; "-" for none.
func (s *scene) giveItem(item string) {
	if item != "-" {
		s.pods[v1.PodName("f", "a", 1)].Spec.Containers = []corev1.Container{{Env: []corev1.EnvVar{{Name: v1.KeyTaskItem, Value: item}}}}
	}
}

func itemsSpec(texts ...string) *v1.ItemsSpec {
	out := &v1.ItemsSpec{}
	for _, text := range texts {
		out.Values = append(out.Values, v1.ItemValue{RawMessage: json.RawMessage(`"` + text + `"`)})
	}
	return out
}

func digestOf(t *testing.T, values []v1.ItemValue) *v1.ItemsStatus {
	t.Helper()
	list, err := items.FromValues(values)
	require.NoError(t, err)
	return list.Status()
}
