package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Objects that are laid out have exactly the fields of objects that the original has really stored.
func TestLeftAsRecorded(t *testing.T) {
	o := &original{plan: newPlanner(1, 0).leftRunning(), configMap: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x-attempt", UID: "u"}}}
	o.name, o.uid, o.status = "x", "f", o.begun()
	status := asFields(t, o.status)
	recorded := readFields(t, "pkg/apis/frameworkcontroller/v1/testdata/recorded/framework-running.json")["status"].(map[string]any)
	sameFields(t, "status", status, recorded)

	pod, err := o.pod(&o.tasks()[0])
	require.NoError(t, err)
	meta := readFields(t, "pkg/objects/testdata/pod.json")["metadata"].(map[string]any)
	annotations := meta["annotations"].(map[string]any)
	delete(annotations, "note") // belongs to the user of the recording
	for key := range annotations {
		if pod.Annotations[key] == "" {
			t.Errorf("its Pod has no annotation %s", key)
		}
	}
	sameFields(t, "owner of its Pod", asFields(t, pod.OwnerReferences[0]), meta["ownerReferences"].([]any)[0])
}

func asFields(t *testing.T, o any) map[string]any {
	t.Helper()
	text, err := json.Marshal(o)
	require.NoError(t, err)
	out := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

func readFields(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	require.NoError(t, err)
	out := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// sameFields compares which fields there are, in the first item of lists.
func sameFields(t *testing.T, at string, a, b any) {
	t.Helper()
	switch b := b.(type) {
	case map[string]any:
		a, _ := a.(map[string]any)
		if is, want := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)); a != nil && !slices.Equal(is, want) {
			t.Errorf("%s has %v, want %v", at, is, want)
		}
		for name := range b {
			sameFields(t, at+"."+name, a[name], b[name])
		}
	case []any:
		if a, _ := a.([]any); len(a) > 0 && len(b) > 0 {
			sameFields(t, at+"[0]", a[0], b[0])
		}
	}
}

// There are leftovers of each shape, plain and compressed.
func TestLeftovers(t *testing.T) {
	forms := map[string]int{}
	for _, p := range newPlanner(1, 0).inherited(2 * len(leftovers)) {
		forms[p.name[:len(p.name)-1]]++
		if p.prone {
			t.Errorf("%s is prone to deletions, and could not keep its Pods", p.name)
		}
	}
	if len(forms) != len(leftovers) {
		t.Errorf("shapes are %v", forms)
	}
}

// A Task that runs in another Pod in the end was not taken over.
func TestKept(t *testing.T) {
	f := &v1.FrameworkStatus{}
	f.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{TaskStatuses: []v1.TaskStatus{
		{AttemptStatus: v1.TaskAttemptStatus{PodUID: new(types.UID("p"))}}}}}
	for was, want := range map[types.UID]int{"p": 0, "q": 1} {
		l := &leftover{pods: map[int32]types.UID{0: was}}
		if got := l.kept(f); len(got) != want {
			t.Errorf("it was %s: got %v", was, got)
		}
	}
	if got := (&leftover{}).kept(f); got != nil {
		t.Errorf("nothing ran: got %v", got)
	}
}
