package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A Pod that is not ours may have the name that a Task needs. The Framework says so, leaves the Pod alone, and goes on
// when it is gone.
func TestForeignPod(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	foreign := s.createForeignPod("taken-a-1")
	s.create("taken", roleOf(2, pod()))
	s.awaitCondition("taken", v1.ConditionWaiting, metav1.ConditionTrue, "NameConflict")
	s.awaitWarning("taken", "NameConflict", "taken-a-1")
	s.await("taken", "running as far as it can", func(f *v1.FrameworkStatus) bool { return task(f, "a", 0).State == v1.AttemptRunning })
	now, err := s.pods.Get(t.Context(), foreign.Name, metav1.GetOptions{})
	if err != nil || now.ResourceVersion != foreign.ResourceVersion {
		t.Errorf("the Pod was touched: %v, %v", now, err)
	}

	s.deletePod(foreign.Name)
	f := s.awaitAllRunning("taken", 2)
	if got, want := describeTask(*task(f.Status, "a", 1)), "AttemptRunning retried=0/0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.awaitCondition("taken", v1.ConditionWaiting, metav1.ConditionFalse, "")
}

// The same for the name of the attempt's ConfigMap.
func TestForeignConfigMap(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	name := v1.ConfigMapName("taken")
	foreign, err := s.configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.create("taken", roleOf(2, pod()))
	s.awaitCondition("taken", v1.ConditionWaiting, metav1.ConditionTrue, "NameConflict")
	s.awaitWarning("taken", "NameConflict", name)
	f := s.awaitState("taken", v1.AttemptCreationPending, 0)
	if f.Status.AttemptStatus.ConfigMapUID != nil {
		t.Error("the ConfigMap was taken for ours")
	}
	now, err := s.configMaps.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || now.ResourceVersion != foreign.ResourceVersion {
		t.Errorf("the ConfigMap was touched: %v, %v", now, err)
	}

	s.deleteConfigMap(name)
	s.awaitAllRunning("taken", 2)
	s.awaitCondition("taken", v1.ConditionWaiting, metav1.ConditionFalse, "")
}
