package controller

import (
	"encoding/json"
	"fmt"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// status returns the stored status of a Framework; its zero value if there is none, or it is invalid.
func (w *world) status(name string) *v1.FrameworkStatus {
	return statusOf(w.Get(apitest.Frameworks, name))
}

func statusOf(o *unstructured.Unstructured) *v1.FrameworkStatus {
	if o == nil || o.Object["status"] == nil {
		return &v1.FrameworkStatus{}
	}
	status := &v1.FrameworkStatus{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object["status"].(map[string]any), status); err != nil {
		return &v1.FrameworkStatus{}
	}
	if len(status.AttemptStatus.TaskRoleStatusesCompressed) == 0 {
		return status
	}
	text, err := json.Marshal(status)
	if err != nil {
		return &v1.FrameworkStatus{}
	}
	if status, err = statusjson.Decode(text); err != nil {
		return &v1.FrameworkStatus{}
	}
	return status
}

// state is status for frequent callers.
func (w *world) state(name string) v1.State {
	o := w.Get(apitest.Frameworks, name)
	if o == nil {
		return ""
	}
	state, _, _ := unstructured.NestedString(o.Object, "status", "state")
	return v1.State(state)
}

// task returns the status of a Task; its zero value if there is none.
func (w *world) task(framework, role string, index int) v1.TaskStatus {
	w.t.Helper()
	return taskOfStatus(w.status(framework), role, index)
}

func taskOfStatus(status *v1.FrameworkStatus, role string, index int) v1.TaskStatus {
	for _, r := range status.AttemptStatus.TaskRoleStatuses {
		if r.Name == role && index < len(r.TaskStatuses) {
			return r.TaskStatuses[index]
		}
	}
	return v1.TaskStatus{}
}

// condition returns a condition's status and reason as "True because Reason"; empty if there is none.
func (w *world) condition(framework, kind string) string {
	o := w.Get(apitest.Frameworks, framework)
	if o == nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == kind {
			return fmt.Sprintf("%s because %s", c["status"], c["reason"])
		}
	}
	return ""
}

// warnings returns how often each Warning event was reported on a Framework, by reason.
func (w *world) warnings(framework string) map[string]int {
	w.t.Helper()
	count := map[string]int{}
	for _, o := range w.List(apitest.Events) {
		e := &corev1.Event{}
		require.NoError(w.t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, e))
		if e.Type == corev1.EventTypeWarning && e.InvolvedObject.Name == framework {
			count[e.Reason] += int(e.Count)
		}
	}
	return count
}

// made is the number of objects that ever had the name.
func (w *world) made(resource, name string) int {
	uids := map[string]bool{}
	for _, o := range w.History(resource, name) {
		if o != nil {
			uids[string(o.GetUID())] = true
		}
	}
	return len(uids)
}

// recordCount is how many Frameworks the controller remembers.
func (w *world) recordCount() int { return len(w.c.queue.records.keys()) }

func (w *world) key(framework string) cache.ObjectName {
	return cache.NewObjectName(apitest.Namespace, framework)
}

// requireNotOverwritten: no status of ours was taken for somebody else's.
func (w *world) requireNotOverwritten(framework string) {
	w.t.Helper()
	if n := w.warnings(framework)["StatusOverwritten"]; n != 0 {
		w.t.Errorf("%d warnings of a change by others", n)
	}
}

// requireCode checks with which code the Framework's attempt has ended.
func (w *world) requireCode(framework string, want int32) {
	w.t.Helper()
	if code := w.status(framework).AttemptStatus.CompletionStatus.Code; code != want {
		w.t.Errorf("the Framework's code is %d, want %d", code, want)
	}
}

// requireTaskCode checks with which code the attempt of the first Task of the role "w" has ended.
func (w *world) requireTaskCode(framework string, want int32) {
	w.t.Helper()
	if code := w.task(framework, "w", 0).AttemptStatus.CompletionStatus.Code; code != want {
		w.t.Errorf("the Task's code is %d, want %d", code, want)
	}
}
