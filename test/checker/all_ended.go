package checker

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// allEnded holds P4, "AttemptCompleted/Completed Framework ⇒ all Tasks Completed with completionStatus; no managed
// CM/Pod exists". Pods are G4's.
type allEnded struct{}

func (allEnded) see(t *replay, c change) {
	if c.framework == nil || c.framework.after == nil || c.framework.after.Status == nil {
		return
	}
	f := c.framework.after
	if !ended(f.Status.State) {
		return
	}
	t.hold(AllEnded, c.subject(), f.completing(), "it is %s without an outcome", f.Status.State)
	for p, task := range f.tasks {
		decided := task.AttemptStatus.CompletionStatus != nil
		t.hold(AllEnded, c.task(p), task.State == v1.Completed && decided, "the Framework is %s when the Task is %s, decided: %t",
			f.Status.State, task.State, decided)
	}
	if n := f.Status.Tasks; n != nil && n.CutShort != 0 { // a controller of before did not count them
		cutShort := f.cutShort()
		t.hold(AllEnded, c.subject(), n.CutShort == cutShort && cutShort <= n.Failed, "it counts %d of %d failed Tasks that were cut short, and %d were",
			n.CutShort, n.Failed, cutShort)
	}
	configMap := t.configMaps[types.NamespacedName{Namespace: c.name.Namespace, Name: f.attempt().ConfigMapName}]
	there := configMap != nil && configMap.UID == uidOf(f.attempt().ConfigMapUID)
	t.hold(AllEnded, c.subject(), !there, "it is %s while its ConfigMap is there", f.Status.State)
}

// cutShort is the number of Tasks that were cut short, without the ones that a scale-down removes.
func (f *framework) cutShort() (n int32) {
	for _, task := range f.tasks {
		if s := task.AttemptStatus.CompletionStatus; !task.DeletionPending && s != nil && s.Code == -220 && s.Phrase == "FrameworkAttemptCompletion" {
			n++
		}
	}
	return n
}
