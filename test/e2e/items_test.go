package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// An attempt waits for a ConfigMap with its items, whatever is wrong with it, and each Pod gets its own, in its environment and in place of
// placeholders. Items in the spec are appended while it runs, and one that is changed then is warned of.
func TestItems(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	template := strings.Replace(pod(), "annotations: {", `annotations: {lr: "{{FC_TASK_ITEM_LR}}"`, 1)
	s.create("far", `{taskRoles: [{name: w, items: {configMapKeyRef: {name: params, key: list}}, task: {pod: `+template+`}}]}`)
	waits := func(words string) {
		s.await("far", words, func(f *v1.FrameworkStatus) bool {
			return f.Waiting != nil && f.Waiting.Reason == "ItemsNotReady" && strings.Contains(f.Waiting.Message, words)
		})
	}
	waits("ConfigMap params does not exist")
	list := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "params"}, Data: map[string]string{"other": "x"}}
	list, err := s.configMaps.Create(t.Context(), list, metav1.CreateOptions{})
	require.NoError(t, err)
	waits("has no key list")
	write := func(text string) {
		list.Data = map[string]string{"list": text}
		list, err = s.configMaps.Update(t.Context(), list, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	write("{\"lr\": 0.1}\n{\"lr\": 0.2, \"lr\": 0.3}\n")
	waits(`line 2 has the key "lr" twice`)
	write("{\"lr\": 0.1}\n\n{\"lr\": \"0.20\"}\n")
	s.awaitAllRunning("far", 2)
	for index, want := range []string{"0.1", "0.20"} {
		p, err := s.pods.Get(t.Context(), fmt.Sprintf("far-w-%d", index), metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, want, p.Annotations["lr"])
		require.Equal(t, want, variable(p, "FC_TASK_ITEM_LR"))
	}
	if n := s.await("far", "two items", func(f *v1.FrameworkStatus) bool { return true }).Status.AttemptStatus.TaskRoleStatuses[0].Items; n == nil || n.Number != 2 {
		t.Errorf("stored is %v", n)
	}

	s.create("near", `{taskRoles: [{name: w, items: {values: [a, 2]}, task: {pod: `+pod()+`}}]}`)
	s.awaitAllRunning("near", 2)
	s.patch("near", `[{op: add, path: /spec/taskRoles/0/items/values/-, value: {k: true}}]`)
	s.awaitAllRunning("near", 3)
	for index, want := range []string{"a", "2", `{"k":true}`} {
		p, err := s.pods.Get(t.Context(), fmt.Sprintf("near-w-%d", index), metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, want, variable(p, "FC_TASK_ITEM"))
	}
	s.patch("near", `[{op: replace, path: /spec/taskRoles/0/items/values/1, value: 3}]`)
	s.eventually(func(ctx context.Context) error {
		return s.missingEvent(ctx, "near", answer{event: "ItemsEdited", eventSays: "item 1 was changed"})
	})
}

// variable is the value of a variable of the first container.
func variable(p *corev1.Pod, name string) string {
	for _, v := range p.Spec.Containers[0].Env {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}

// A list in a ConfigMap may be longer than a number of Tasks in a spec: a few of 12,000 Tasks run at a time, each with its own item.
func TestManyItems(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	start := time.Now()
	s.createList("params", 12_000)
	s.create("long", `{taskRoles: [{name: w, items: {configMapKeyRef: {name: params, key: list}}, parallelism: 20, task: {pod: `+pod()+`}}]}`)
	s.await("long", "20 of 12,000 Tasks run", func(f *v1.FrameworkStatus) bool {
		return f.Tasks != nil && f.Tasks.Total == 12_000 && f.Tasks.Running == 20 && f.Tasks.Waiting == 11_980
	})
	for index := range 20 {
		p, err := s.pods.Get(t.Context(), fmt.Sprintf("long-w-%d", index), metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("input-%05d", index), variable(p, "FC_TASK_ITEM"))
	}
	t.Logf("it took %s", time.Since(start))
	if took, most := time.Since(start), machine.Within(time.Minute); took > most {
		t.Errorf("it took %s, more than %s", took, most)
	}
}

// A list that is too long is refused where it is: in a ConfigMap, the attempt waits with the reason; in a spec, the spec is invalid. The
// API server itself refuses a ConfigMap of more than 1 MiB.
func TestTooManyItems(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	const role = `{taskRoles: [{name: w, parallelism: 20, items: {%s}, task: {pod: ` + "%s" + `}}]}`
	s.createList("params", v1.MaxItems+1)
	s.create("far", fmt.Sprintf(role, "configMapKeyRef: {name: params, key: list}", pod()))
	c := s.awaitCondition("far", v1.ConditionWaiting, metav1.ConditionTrue, "ItemsNotReady")
	require.Contains(t, c.Message, "key list of ConfigMap params: there are more than 20000")

	large := `"` + strings.Repeat("x", 60<<10) + `"`
	s.create("large", fmt.Sprintf(role, "values: ["+strings.Repeat(large+",", 17)+large+"]", pod()))
	c = s.awaitCondition("large", v1.ConditionStatusInvalid, metav1.ConditionTrue, "")
	require.Contains(t, c.Message, fmt.Sprintf("taskRoles[0].items: they have %d bytes; at most 1048576 are allowed", 18*len(large)))

	_, err := s.configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "large"},
		Data: map[string]string{"list": strings.Repeat("1\n", v1.MaxItemsBytes/2+1)}}, metav1.CreateOptions{})
	require.ErrorContains(t, err, "Too long")
	for _, name := range []string{"far", "large"} {
		pods, err := s.pods.List(t.Context(), frameworkLabel(name))
		require.NoError(t, err)
		require.Empty(t, pods.Items, "Pods of %s", name)
	}
}

// createList creates a ConfigMap with that many items.
func (s *story) createList(name string, items int) {
	s.t.Helper()
	var list strings.Builder
	for i := range items {
		fmt.Fprintf(&list, "\"input-%05d\"\n", i)
	}
	_, err := s.configMaps.Create(s.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"list": list.String()}}, metav1.CreateOptions{})
	require.NoError(s.t, err)
}
