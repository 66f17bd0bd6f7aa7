package explain

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// The answer has the item of a Task only if the list at hand begins with the items of the attempt. It never has another value.
func TestItemIsExplained(t *testing.T) {
	long := strings.Repeat("x", longestItem-1)
	list, err := items.FromLines(`{"lr":0.1}` + "\n\"" + long + "ßy\"\n")
	require.NoError(t, err)
	edited, err := items.FromLines("7\n8\n")
	require.NoError(t, err)
	inSpec := &v1.ItemsSpec{Values: []v1.ItemValue{{RawMessage: json.RawMessage(`{"lr":0.1}`)}, {RawMessage: json.RawMessage(`"` + long + `ßy"`)}}}
	inConfigMap := &v1.ItemsSpec{ConfigMapKeyRef: &v1.ItemsKeyRef{Name: "params", Key: "list"}}
	const unknown = "Its item is no longer known, as the items of role worker were changed or cannot be read."
	for _, test := range []struct {
		name  string
		spec  *v1.ItemsSpec
		read  *items.List
		index int32
		says  string // empty if nothing is said of an item
	}{
		{"in the spec", inSpec, nil, 0, `Its item is {"lr":0.1}.`},
		{"in a ConfigMap", inConfigMap, list, 0, `Its item is {"lr":0.1}.`},
		{"shortened", inConfigMap, list, 1, "Its item is " + long + "...."},
		{"changed in the spec", &v1.ItemsSpec{Values: inSpec.Values[1:]}, nil, 0, unknown},
		{"changed in a ConfigMap", inConfigMap, edited, 0, unknown},
		{"not read", inConfigMap, nil, 0, unknown},
		{"beyond the items", inConfigMap, list, 2, ""},
	} {
		f := frameworkOf(v1.TaskStatus{State: v1.AttemptRunning}, v1.TaskStatus{Index: 1, State: v1.AttemptRunning}, v1.TaskStatus{Index: 2, State: v1.AttemptRunning})
		f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: v1.AllItems, Items: test.spec}}
		f.Status.AttemptStatus.TaskRoleStatuses[0].Items = list.Status()
		facts := Facts{Framework: f, Items: map[string]*items.List{"worker": test.read}, Now: halfPastFour}
		text := strings.Join(Task(facts, "worker", test.index).Lines(), "\n")
		if said := strings.Contains(text, "Its item is"); said != (test.says != "") || !strings.Contains(text, test.says) {
			t.Errorf("%s: got\n%s\nwant %q", test.name, text, test.says)
		}
	}
}

// A wait for items is told of the Framework and of its role, with the place of the mistake and the way out.
func TestWaitForItemsIsExplained(t *testing.T) {
	for reason, wants := range map[string][]string{
		"ItemsNotReady": {"line 2 is not JSON", "The items of a role cannot be read or used, so the attempt does not begin.", "It ends when the ConfigMap is there and every line of it is right",
			"or the items in the spec are corrected."},
		"ItemsChanged": {"line 2 is not JSON", "the items with which their attempt began were changed or removed", "It ends when the items are as before, apart from appended ones, or with the next attempt."},
	} {
		f := frameworkOf(v1.TaskStatus{State: v1.AttemptCreationPending})
		f.Spec.TaskRoles = []v1.TaskRoleSpec{{Name: "worker", TaskNumber: v1.AllItems, Items: &v1.ItemsSpec{ConfigMapKeyRef: &v1.ItemsKeyRef{Name: "params", Key: "list"}}}}
		f.Status.Conditions = []metav1.Condition{{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue, Reason: reason,
			Message: "role worker waits for its items: key list of ConfigMap params: line 2 is not JSON"}}
		f.Status.Waiting = &v1.WaitingStatus{Reason: reason, Role: "worker"}
		facts := Facts{Framework: f, Now: halfPastFour}
		for name, answer := range map[string]Answer{"Framework": Framework(facts), "role": Role(facts, "worker")} {
			text := strings.Join(answer.Lines(), "\n")
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s, of the %s, lacks %q:\n%s", reason, name, want, text)
				}
			}
		}
	}
}
