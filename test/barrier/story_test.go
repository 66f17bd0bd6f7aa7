package barrier

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

const (
	atOnce = `{` + spec
	held   = `{"metadata": {"annotations": {"simulate.frameworkcontroller.io/hold": "true"}}, ` + spec
	spec   = `"spec": {"containers": [{"name": "main", "image": "busybox"}]}}`
)

// framework has a number of servers, which get their addresses at once, and of workers, which get theirs when they are released.
func framework(name string, servers, workers int32) *v1.Framework {
	return &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{
		{Name: "server", TaskNumber: servers, Task: v1.TaskSpec{Pod: []byte(atOnce)}},
		{Name: "worker", TaskNumber: workers, Task: v1.TaskSpec{Pod: []byte(held)}},
	}}}
}

func (w *world) create(t *testing.T, f *v1.Framework) {
	t.Helper()
	api := w.frameworks.FrameworkControllerV1().Frameworks(namespace)
	if _, err := api.Create(t.Context(), f, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Delete(context.Background(), f.Name, metav1.DeleteOptions{}) })
}

// eventually repeats a check until it has no complaint.
func eventually(t *testing.T, check func(ctx context.Context) error) {
	t.Helper()
	eventuallyWithin(t, patience, check)
}

func eventuallyWithin(t *testing.T, most time.Duration, check func(ctx context.Context) error) {
	t.Helper()
	clustertest.Eventually(t, most, check)
}

// pods returns the Pods of the Framework, once n of them are as wanted.
func (w *world) pods(t *testing.T, name string, n int, wanted func(corev1.Pod) bool) []corev1.Pod {
	t.Helper()
	var found []corev1.Pod
	eventually(t, func(ctx context.Context) error {
		list, err := w.core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "FC_FRAMEWORK_NAME=" + name})
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(list.Items, func(p corev1.Pod) bool { return !wanted(p) })
		if len(found) != n {
			return fmt.Errorf("there are %d of %d Pods", len(found), n)
		}
		return nil
	})
	return found
}

func anyPod(corev1.Pod) bool        { return true }
func hasAddress(p corev1.Pod) bool  { return p.Status.PodIP != "" }
func isWorker(p corev1.Pod) bool    { return p.Labels["FC_TASKROLE_NAME"] == "worker" }
func isScheduled(p corev1.Pod) bool { return p.Spec.NodeName != "" }

// letGo lets a held Pod have its address.
func (w *world) letGo(t *testing.T, pod string) {
	t.Helper()
	patch := []byte(`{"metadata": {"annotations": {"simulate.frameworkcontroller.io/hold": null}}}`)
	eventually(t, func(ctx context.Context) error { // an API server that is starting may refuse
		_, err := w.core.CoreV1().Pods(namespace).Patch(ctx, pod, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// environment is the environment of a Pod's container, as the controller has created it.
func environment(p corev1.Pod, kubeconfig string, more map[string]string) map[string]string {
	out := map[string]string{"KUBECONFIG": kubeconfig}
	for _, one := range p.Spec.Containers[0].Env {
		if one.ValueFrom == nil {
			out[one.Name] = one.Value
		}
	}
	maps.Copy(out, more)
	return out
}

type auditEntry struct {
	AuditID, Verb, RequestURI string
	ResponseStatus            struct{ Code int }
}

// requests counts the successful requests of barriers for the Framework, by verb. A watch counts when it begins.
func (w *world) requests(t *testing.T, name string) map[string]int {
	t.Helper()
	out := map[string]int{}
	seen := map[string]bool{}
	for _, entry := range clustertest.Entries[auditEntry](t, w.audit, 0) {
		about := strings.HasSuffix(entry.RequestURI, "/"+name) ||
			strings.Contains(entry.RequestURI, "metadata.name%3D"+name+"&") || // a look
			strings.Contains(entry.RequestURI, "metadata.name%3D"+name+"%2C") // a watch
		if about && entry.ResponseStatus.Code == http.StatusOK && !seen[entry.AuditID] {
			seen[entry.AuditID] = true
			out[entry.Verb]++
		}
	}
	return out
}

func (w *world) requireRequests(t *testing.T, name string, want map[string]int) {
	t.Helper()
	if got := w.requests(t, name); !maps.Equal(got, want) {
		t.Errorf("the barriers asked for %v, want %v", got, want)
	}
}
