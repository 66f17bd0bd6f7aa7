package checker

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podOfTask holds G2, "No Pod of a Task runs while that Task is absent from the status, AttemptCompleted or Completed, or the Framework is
// gone", and G4, "No Pod of a Framework runs while it is AttemptCompleted/Completed/gone". As long as a Pod exists, and is not held, it may
// run.
type podOfTask struct{}

func (podOfTask) see(t *replay, c change) {
	switch {
	case c.framework != nil && c.framework.after != nil:
		for _, p := range t.podsOf(c.name.Namespace, c.name.Name) {
			if p.made.frameworkUID == c.framework.after.UID {
				mayBeThere(t, c, p, c.framework.after)
			}
		}
	case c.framework != nil && inForeground(c.framework.before):
		for _, p := range t.podsOf(c.name.Namespace, c.name.Name) {
			t.hold(NothingAfter, c.subject(), p.made.frameworkUID != c.framework.before.UID, "gone while its Pod %s was there", p.Name)
		}
	case c.pod != nil && c.pod.before == nil && c.pod.after.made.ours():
		made := c.pod.after.made
		f := t.frameworkOf(c.name.Namespace, made.framework, made.frameworkUID)
		t.hold(NothingAfter, c.subject(), f != nil, "created while there was no Framework %s (%s)", made.framework, made.frameworkUID)
		if f != nil {
			mayBeThere(t, c, c.pod.after, f)
		}
	}
}

func mayBeThere(t *replay, c change, p *pod, f *framework) {
	if f.Status == nil {
		t.hold(PodOfTask, c.subject(), false, "Pod %s was there when %s had no status", p.Name, f.Name)
		return
	}
	t.hold(NothingAfter, c.subject(), !ended(f.Status.State), "Pod %s was there when Framework %s was %s", p.Name, f.Name, f.Status.State)
	task := f.tasks[p.made.place]
	switch {
	case task == nil:
		t.hold(PodOfTask, c.subject(), false, "Pod %s was there when the status had no such Task", p.Name)
	case attemptOf(task) != p.made.attempt():
		t.hold(PodOfTask, c.subject(), false, "Pod %s of %v was there when its Task was in %v", p.Name, p.made.attempt(), attemptOf(task))
	default:
		t.hold(PodOfTask, c.subject(), !ended(task.State), "Pod %s was there when its Task was %s", p.Name, task.State)
	}
}

// inForeground reports whether a Framework was deleted in the foreground. Otherwise it disappears before its Pods by request.
func inForeground(f *framework) bool {
	return f.DeletionTimestamp != nil && slices.Contains(f.Finalizers, metav1.FinalizerDeleteDependents)
}
