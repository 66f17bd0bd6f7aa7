package barrier

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func startsAfter(role v1.TaskRoleSpec, after string, when v1.StartWhen) v1.TaskRoleSpec {
	role.StartAfter = []v1.StartAfterSpec{{Role: after, When: when}}
	return role
}

// patchStatus patches a Pod's status as a node would.
func (w *world) patchStatus(t *testing.T, pod, status string) {
	t.Helper()
	_, err := w.core.CoreV1().Pods(namespace).Patch(t.Context(), pod, types.MergePatchType, []byte(`{"status": `+status+`}`),
		metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
}

// All Pods exist from the beginning, and have addresses while none of the workers runs: their barriers pass. The barrier of the launcher,
// which starts after them, is held until all of them run, which costs one more request.
func TestStartsAfterOthersRun(t *testing.T) {
	t.Parallel()
	w := shared
	f := framework("order", 1, 2)
	f.Spec.TaskRoles[0] = startsAfter(f.Spec.TaskRoles[0], "worker", v1.StartRunning)
	w.create(t, f)
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	var launcher *process
	var workers []*process
	for _, p := range w.pods(t, "order", 3, isScheduled) {
		b := w.run(t, environment(p, kubeconfig, nil))
		if isWorker(p) {
			workers = append(workers, b)
		} else {
			launcher = b
		}
	}
	for i := range 2 {
		w.patchStatus(t, fmt.Sprintf("order-worker-%d", i), fmt.Sprintf(`{"podIP": "10.1.0.%[1]d", "podIPs": [{"ip": "10.1.0.%[1]d"}]}`, i+1))
	}
	for _, b := range workers {
		b.requireExit(0)
	}
	w.awaitWatches(t, "order", 4)
	w.letGo(t, "order-worker-0")
	w.awaitRunning(t, "order", 2)
	launcher.requireWaiting()
	w.letGo(t, "order-worker-1")
	launcher.requireExit(0)
	w.requireRequests(t, "order", map[string]int{"list": 3, "watch": 4})
}

func (w *world) awaitRunning(t *testing.T, name string, n int32) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		f, err := w.frameworks.FrameworkControllerV1().Frameworks(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && (f.Status == nil || f.Status.Tasks.Running != n) {
			err = fmt.Errorf("there are not %d Tasks of %s that run", n, name)
		}
		return err
	})
}

// The barrier of an initializer does not wait for Pods that are created after its success, or neither would ever continue. Their barriers
// then wait for all.
func TestStartsAfterSuccess(t *testing.T) {
	t.Parallel()
	w := shared
	f := framework("stages", 1, 1)
	f.Spec.TaskRoles[1] = startsAfter(f.Spec.TaskRoles[1], "server", v1.StartSucceeded)
	w.create(t, f)
	kubeconfig, _ := w.kubeconfigOf(t, "barrier")
	first := w.pods(t, "stages", 1, hasAddress)[0]
	b := w.run(t, environment(first, kubeconfig, nil))
	b.requireExit(0)
	for name, want := range map[string]string{"hosts": first.Status.PodIP + "\tstages-server-0\n", "hostfile": first.Status.PodIP + " slots=1\n"} {
		if got := b.read(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	w.patchStatus(t, first.Name, `{"phase": "Succeeded"}`)
	second := w.pods(t, "stages", 1, func(p corev1.Pod) bool { return isWorker(p) && isScheduled(p) })[0]
	b = w.run(t, environment(second, kubeconfig, nil))
	w.awaitWatches(t, "stages", 2)
	b.requireWaiting()
	w.letGo(t, second.Name)
	b.requireExit(0)
}
