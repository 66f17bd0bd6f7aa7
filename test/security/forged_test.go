package security

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// marks are the labels and annotations of a Task's Pod, as anybody who may read them can copy them.
func marks(f *v1.Framework) map[string]any {
	s := f.Status.AttemptStatus
	labels := map[string]string{v1.KeyFrameworkName: f.Name, v1.KeyTaskRoleName: "a", v1.KeyTaskIndex: "0"}
	annotations := map[string]string{
		v1.KeyFrameworkNamespace: f.Namespace, v1.KeyFrameworkName: f.Name, v1.KeyTaskRoleName: "a", v1.KeyTaskIndex: "0",
		v1.KeyConfigMapName: s.ConfigMapName, v1.KeyPodName: f.Name + "-a-0", v1.KeyFrameworkUID: string(f.UID),
		v1.KeyFrameworkAttemptID: "0", v1.KeyFrameworkAttemptInstanceUID: *s.InstanceUID, v1.KeyConfigMapUID: string(*s.ConfigMapUID),
		v1.KeyTaskRoleUID: s.TaskRoleStatuses[0].InstanceUID, v1.KeyTaskUID: task(f).InstanceUID, v1.KeyTaskAttemptID: "0",
	}
	return map[string]any{"labels": labels, "annotations": annotations}
}

func ownedBy(marks map[string]any, configMap string, uid types.UID) map[string]any {
	marks["ownerReferences"] = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: configMap, UID: uid, Controller: new(true)}}
	return marks
}

// obstructed makes a Framework whose only Pod cannot be created, since the author's own has its name.
func obstructed(a *author, name string) (f *v1.Framework, pod *corev1.Pod) {
	a.t.Helper()
	pod = a.createPod(`{"name": "` + name + `-a-0"}`)
	a.create(name, oneTask(lasting))
	return a.awaitCondition(name, v1.ConditionWaiting), pod
}

// writesTo returns the requests of the controller that would change a Pod, except for attempts to create it.
func writesTo(t *testing.T, from int64, namespace, pod string) []request {
	return requestsAfter(t, from, func(r request) bool {
		o := r.ObjectRef
		return r.writes() && r.Verb != "create" && o.Resource == "pods" && o.Namespace == namespace && o.Name == pod
	})
}

// Labels and annotations make no Pod one of ours. It is waited for, and left alone.
func TestForgedLabels(t *testing.T) {
	from := audit.Size(t)
	startController(t, quiet)
	a := newAuthor(t, "forged")
	f, pod := obstructed(a, "demo")
	a.patchPod(pod.Name, marks(f))
	a.awaitTries(from, pod.Name, 3)
	if now := a.awaitCondition("demo", v1.ConditionWaiting); task(now).AttemptStatus.PodUID != nil {
		t.Error("the Pod was adopted")
	}
	if got := writesTo(t, from, a.namespace, pod.Name); len(got) > 0 {
		t.Errorf("the Pod was written to: %v", got)
	}
}

// awaitTries waits until the controller has tried that many times to create a Pod.
func (a *author) awaitTries(from int64, pod string, times int) {
	a.t.Helper()
	before := len(requestsAfter(a.t, from, a.triesToCreatePods()))
	eventually(a.t, "the controller tries to create "+pod, func(context.Context) error {
		if now := len(requestsAfter(a.t, from, a.triesToCreatePods())); now < before+times {
			return fmt.Errorf("it has tried %d times", now)
		}
		return nil
	})
}

func (a *author) triesToCreatePods() func(request) bool {
	return func(r request) bool {
		return r.Verb == "create" && r.ObjectRef.Resource == "pods" && r.ObjectRef.Namespace == a.namespace
	}
}

// A Pod with all marks, and the ConfigMap of the attempt as its controller, is adopted while the Task has none. It cannot be distinguished
// from the Pod that the controller would have created. It harms only the author: the Task ends with this Pod, and the Pod is deleted with
// the Framework. With one mark wrong it is deleted.
func TestForgedOwner(t *testing.T) {
	startController(t, quiet)
	a := newAuthor(t, "owner")
	f, pod := obstructed(a, "demo")
	a.patchPod(pod.Name, ownedBy(marks(f), f.Status.AttemptStatus.ConfigMapName, *f.Status.AttemptStatus.ConfigMapUID))
	now := a.awaitCondition("demo", v1.ConditionRunning)
	if got := *task(now).AttemptStatus.PodUID; got != pod.UID {
		t.Errorf("the Pod is %s, and the forged one %s", got, pod.UID)
	}

	f, pod = obstructed(a, "late")
	wrong := ownedBy(marks(f), f.Status.AttemptStatus.ConfigMapName, *f.Status.AttemptStatus.ConfigMapUID)
	wrong["annotations"].(map[string]string)[v1.KeyTaskAttemptID] = "1"
	a.patchPod(pod.Name, wrong)
	now = a.awaitCondition("late", v1.ConditionRunning)
	if got := *task(now).AttemptStatus.PodUID; got == pod.UID {
		t.Error("a Pod of another attempt was adopted")
	}
}

// Once a Task has its Pod, no other one takes its place, and once an attempt has its ConfigMap, no other one.
func TestForgedLater(t *testing.T) {
	startController(t, quiet)
	a := newAuthor(t, "later")
	a.create("demo", oneTask(lasting))
	f := a.awaitCondition("demo", v1.ConditionRunning)
	forged := ownedBy(marks(f), f.Status.AttemptStatus.ConfigMapName, *f.Status.AttemptStatus.ConfigMapUID)
	forged["name"] = "demo-a-7" // a Task that the role has not
	a.createPod(string(jsonOf(t, forged)))
	forged["name"] = "demo-b-0" // a role that there is not
	a.createPod(string(jsonOf(t, forged)))
	eventually(t, "the Pods of no Task are gone", func(ctx context.Context) error {
		list, err := a.core.CoreV1().Pods(a.namespace).List(ctx, metav1.ListOptions{})
		if err == nil && len(list.Items) != 1 {
			err = fmt.Errorf("there are %d Pods", len(list.Items))
		}
		return err
	})
	now, err := a.frameworks.Get(t.Context(), "demo", metav1.GetOptions{})
	if err != nil || len(now.Status.AttemptStatus.TaskRoleStatuses) != 1 || *task(now).AttemptStatus.PodUID != *task(f).AttemptStatus.PodUID {
		t.Errorf("the status is %+v, %v", now.Status, err)
	}
}

// A Pod in one namespace cannot pass for a Task's in another one, though it names all UIDs right.
func TestForgedInAnotherNamespace(t *testing.T) {
	startController(t, quiet)
	a, other := newAuthor(t, "author"), newAuthor(t, "other")
	f, _ := obstructed(other, "demo") // wants a Pod, so it would be glad of one
	from := audit.Size(t)
	forged := ownedBy(marks(f), f.Status.AttemptStatus.ConfigMapName, *f.Status.AttemptStatus.ConfigMapUID)
	forged["name"] = "demo-a-0"
	a.createPod(string(jsonOf(t, forged)))
	other.awaitTries(from, "demo-a-0", 3)
	if now := other.awaitCondition("demo", v1.ConditionWaiting); task(now).AttemptStatus.PodUID != nil {
		t.Errorf("the Task has the Pod %s", *task(now).AttemptStatus.PodUID)
	}
	if got := requestsAfter(t, from, func(r request) bool { return r.writes() && r.ObjectRef.Namespace == a.namespace }); len(got) > 0 {
		t.Errorf("requests in the namespace of the forger: %v", got)
	}
}

// A ConfigMap with the name of an attempt's is left alone, with any labels and annotations.
func TestForgedConfigMap(t *testing.T) {
	from := audit.Size(t)
	startController(t, quiet)
	a := newAuthor(t, "configmap")
	configMaps := a.core.CoreV1().ConfigMaps(a.namespace)
	forged := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "demo-attempt",
		Labels: map[string]string{v1.KeyFrameworkName: "demo"}, Annotations: map[string]string{v1.KeyFrameworkName: "demo", v1.KeyFrameworkAttemptID: "0"}}}
	if _, err := configMaps.Create(t.Context(), forged, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	a.create("demo", oneTask(lasting))
	f := a.awaitCondition("demo", v1.ConditionWaiting)
	patch := jsonOf(t, map[string]any{"metadata": map[string]any{"annotations": map[string]string{v1.KeyFrameworkUID: string(f.UID)}}})
	if _, err := configMaps.Patch(t.Context(), forged.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	toCreate := func(r request) bool {
		return r.Verb == "create" && r.ObjectRef.Resource == "configmaps" && r.ObjectRef.Namespace == a.namespace
	}
	before := len(requestsAfter(t, from, toCreate))
	eventually(t, "the controller tries on", func(context.Context) error {
		if now := len(requestsAfter(t, from, toCreate)); now < before+3 {
			return fmt.Errorf("it has tried %d times", now)
		}
		return nil
	})
	if now := a.awaitCondition("demo", v1.ConditionWaiting); now.Status.AttemptStatus.ConfigMapUID != nil {
		t.Error("the ConfigMap was adopted")
	}
	written := requestsAfter(t, from, func(r request) bool {
		return r.writes() && r.Verb != "create" && r.ObjectRef.Resource == "configmaps" && r.ObjectRef.Namespace == a.namespace
	})
	if len(written) > 0 {
		t.Errorf("the ConfigMap was written to: %v", written)
	}
}
