package checker

import "k8s.io/apimachinery/pkg/types"

// lost holds the part of P1 that a watch alone can check if others delete Pods only while these run (Options.Undisturbed): before a Pod is
// deleted, the completionStatus is stored. If a Pod disappears before that, the outcome that follows states that somebody else deleted it.
// If the Framework is being deleted, and the ConfigMap with it, the garbage collector deletes Pods whenever it comes to them, be it between
// a Pod's end and the write that stores it.
type lost struct {
	pods map[taskAttempt]types.UID // deleted before an outcome was stored
}

func newLost() *lost { return &lost{map[taskAttempt]types.UID{}} }

func (r *lost) see(t *replay, c change) {
	switch {
	case !t.undisturbed:
	case c.pod != nil && c.pod.before != nil && (c.pod.after == nil || c.pod.after.held()):
		r.gone(t, c.name.Namespace, c.pod.before)
	case c.framework != nil && c.framework.after != nil && c.framework.after.Status != nil:
		r.stored(t, c)
	}
}

func (r *lost) gone(t *replay, namespace string, p *pod) {
	f := t.frameworkOf(namespace, p.made.framework, p.made.frameworkUID)
	if f == nil || f.DeletionTimestamp != nil && !t.configMapStays(namespace, f) {
		return
	}
	task := f.tasks[p.made.place]
	if task != nil && attemptOf(task) == p.made.attempt() && task.AttemptStatus.CompletionStatus == nil {
		r.pods[p.made.attempt()] = p.UID
	}
}

// Outcomes of objects that others have deleted, and of a Task whose attempt has ended.
const (
	configMapExternalDeleted   = -100
	podExternalDeleted         = -101
	frameworkAttemptCompletion = -220
)

func (r *lost) stored(t *replay, c change) {
	f := c.framework.after
	for at, task := range f.tasks {
		pod, went := r.pods[attemptOf(task)]
		outcome := task.AttemptStatus.CompletionStatus
		if !went || outcome == nil {
			continue
		}
		delete(r.pods, attemptOf(task))
		attempt := f.attempt().CompletionStatus
		byOthers := outcome.Code == podExternalDeleted ||
			outcome.Code == frameworkAttemptCompletion && attempt != nil && attempt.Code == configMapExternalDeleted
		t.hold(StoredFirst, c.task(at), byOthers, "Pod %s had gone before the outcome %d was stored", pod, outcome.Code)
	}
}
