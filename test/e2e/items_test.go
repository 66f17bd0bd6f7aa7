package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
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
