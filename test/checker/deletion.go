package checker

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// deletion holds, of P1: before the ConfigMap or a Pod is deleted, the completionStatus is stored; of S2b: "no Pod delete ... caused by
// scale-down precedes a stored flag"; and of W10 that an adoptable object is not deleted. A recorded object that was never seen
// (AttemptCreationRequested) may be deleted without an outcome, because the outcome follows only when it is certainly gone.
type deletion struct{}

func (deletion) see(t *replay, c change) {
	switch {
	case c.pod != nil && deletedByController(t, "pods", c.pod):
		deletedPod(t, c)
	case c.configMap != nil && deletedByController(t, "configmaps", c.configMap):
		deletedConfigMap(t, c)
	case c.framework != nil && deletedByController(t, v1.FrameworkPlural, c.framework):
		s := c.framework.before.Status
		t.hold(StoredFirst, c.subject(), s != nil && s.State == v1.Completed, "deleted before it was stored as Completed")
	}
}

// deletedByController reports whether a request of the controller made this change. If no other client asked for the deletion, it is the
// first change that shows it; otherwise it must be the version in the answer.
func deletedByController[T any, P interface {
	*T
	metav1.Object
}](t *replay, resource string, s *step[T]) bool {
	if s.before == nil {
		return false
	}
	before, after := P(s.before), P(s.after)
	begins := before.GetDeletionTimestamp() == nil && (after == nil || after.GetDeletionTimestamp() != nil)
	switch t.audit.deleters(resource, before.GetUID()) {
	case byController:
		return begins
	case bySeveral:
		further := after == nil || asText(before.GetDeletionGracePeriodSeconds()) != asText(after.GetDeletionGracePeriodSeconds())
		return (begins || further) && t.audit.controllerDeleted(before.GetUID(), t.version)
	}
	return false
}

func deletedPod(t *replay, c change) {
	p := c.pod.before
	f := t.frameworkOf(c.name.Namespace, p.made.framework, p.made.frameworkUID)
	if f == nil || f.Status == nil || uidOf(f.attempt().ConfigMapUID) != p.made.configMapUID {
		return // no stored attempt owns it; P6 decides whether it was ours at all
	}
	task := f.tasks[p.made.place]
	switch {
	case task == nil:
		return
	case uidOf(task.AttemptStatus.PodUID) == p.UID:
		decided := task.AttemptStatus.CompletionStatus != nil || task.State == v1.AttemptCreationRequested
		t.hold(StoredFirst, c.subject(), decided, "deleted when its Task was %s without an outcome", task.State)
		ranOn := p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed
		if ranOn && !f.wanted(p.made.place) && !f.completing() {
			t.hold(FlagFirst, c.subject(), task.DeletionPending, "deleted by a scale-down before the flag was stored")
		}
	default:
		t.hold(Adoption, c.subject(), !t.adoptable(p, task, f), "deleted although it was made for the attempt that its Task was waiting in")
	}
}

// adoptable: it was made for the stored attempt, and nothing prevents its adoption, such as a restart of others that the
// Task waits for.
func (t *replay) adoptable(p *pod, task *v1.TaskStatus, f *framework) bool {
	return t.configMapStays(p.Namespace, f) && task.AttemptStatus.PodUID == nil && task.State == v1.AttemptCreationPending && !task.DeletionPending &&
		task.AttemptStatus.AwaitedRestart == nil && p.made.attempt() == attemptOf(task) && p.DeletionTimestamp == nil && f.wanted(p.made.place) && lives(f)
}

// configMapStays reports whether the attempt's ConfigMap exists, and is not being deleted.
func (t *replay) configMapStays(namespace string, f *framework) bool {
	configMap := t.configMaps[types.NamespacedName{Namespace: namespace, Name: f.attempt().ConfigMapName}]
	return configMap != nil && configMap.DeletionTimestamp == nil
}

// lives: nothing ends the attempt.
func lives(f *framework) bool {
	return !f.completing() && f.DeletionTimestamp == nil && f.Spec.ExecutionType != v1.ExecutionStop
}

func deletedConfigMap(t *replay, c change) {
	configMap := c.configMap.before
	made := configMapPurpose(configMap)
	f := t.frameworkOf(c.name.Namespace, made.framework, made.frameworkUID)
	if f == nil || f.Status == nil {
		return
	}
	if uidOf(f.attempt().ConfigMapUID) == configMap.UID {
		decided := f.completing() || f.Status.State == v1.AttemptCreationRequested
		t.hold(StoredFirst, c.subject(), decided, "deleted when its Framework was %s without an outcome", f.Status.State)
		return
	}
	fits := f.Status.State == v1.AttemptCreationPending && f.attempt().ConfigMapUID == nil && configMap.DeletionTimestamp == nil &&
		made.frameworkAttempt == strconv.Itoa(int(f.attempt().ID)) && lives(f) && f.Spec.ExecutionType != v1.ExecutionCreate
	t.hold(Adoption, c.subject(), !fits, "deleted although it was made for the attempt that its Framework was waiting in")
}
