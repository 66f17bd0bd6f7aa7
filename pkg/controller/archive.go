package controller

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	historyrecords "github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// archive tracks the records of a Framework in the sinks of the history, and the facts about its Pods for them. A restart forgets
// both: then the whole stored state is archived again, with the same keys, and without the parts that only the Pods had.
//
// Invariant: pods grows only while wanted.
type archive struct {
	wanted bool // there are sinks, as of the last round
	done   lifecycle.Archived
	// sent are the completed Tasks whose records were sent before the end of the attempt; nil if there are none.
	sent *sentTasks
	// generation of the spec that was sent last; 0 if none was.
	generation int64
	pods       map[lifecycle.TaskRef]seenPod
}

// seenPod holds facts about the last Pod of a Task that are not stored. Every field but uid may be zero.
type seenPod struct {
	uid    types.UID
	pod    *historyrecords.Pod // at its end, or when it was deleted
	ended  bool                // pod is final
	cause  reason.Cause        // for which the controller deletes it
	judged *historyrecords.Judged
}

// see changes the facts about a Pod. The first news about another Pod replaces the facts about the previous one.
func (a *archive) see(ref lifecycle.TaskRef, uid types.UID, change func(*seenPod)) {
	if a.pods == nil {
		a.pods = map[lifecycle.TaskRef]seenPod{}
	}
	seen := a.seen(ref, uid)
	seen.uid = uid
	change(&seen)
	a.pods[ref] = seen
}

// seen returns the zero seenPod if nothing was seen of the Pod.
func (a *archive) seen(ref lifecycle.TaskRef, uid types.UID) seenPod {
	if seen := a.pods[ref]; seen.uid == uid {
		return seen
	}
	return seenPod{}
}

// Pod returns the facts that only the Pod has. It implements historyrecords.Seen, as Deletion, Judged and Stored do.
func (a *archive) Pod(ref lifecycle.TaskRef, uid types.UID) *historyrecords.Pod {
	return a.seen(ref, uid).pod
}

// Deletion returns why the controller has deleted a Pod.
func (a *archive) Deletion(ref lifecycle.TaskRef, uid types.UID) reason.Cause {
	return a.seen(ref, uid).cause
}

// Judged returns the question about a Pod.
func (a *archive) Judged(ref lifecycle.TaskRef, uid types.UID) *historyrecords.Judged {
	return a.seen(ref, uid).judged
}

// Stored reports whether sinks hold the records of an attempt of a Task.
func (a *archive) Stored(ref lifecycle.TaskRef, uid string, attempt int32) bool {
	return a.sent.has(ref, lifecycle.ArchivedTask{UID: uid, AttemptID: attempt})
}

// forgetSent forgets the Pods whose records are stored by now.
func (a *archive) forgetSent() {
	if a.sent == nil {
		return
	}
	for ref, uid := range a.sent.takeFresh() {
		if a.pods[ref].uid == uid {
			delete(a.pods, ref)
		}
	}
}

// noteEnd keeps the facts that only the Pod has. It is called when the Pod is deleted, and when the watch no longer shows it, because the
// watch may be behind the deletion; a Pod that has ended does not change in between. If no plugin was asked about a failed Pod, the
// question is the one that a plugin would have got.
func (a *archive) noteEnd(ref lifecycle.TaskRef, p *podview.CachedPod, environment bool) {
	if a.seen(ref, p.UID).ended {
		return
	}
	whole := p.Unpack()
	if whole == nil {
		return
	}
	a.see(ref, whole.UID, func(s *seenPod) {
		s.pod, s.ended = historyrecords.PodOf(whole, environment), podview.Ended(whole.Status.Phase)
		if podview.Failed(whole) && s.judged == nil {
			s.judged = historyrecords.JudgedPod(consult.NewFailedPod(nil, ref, whole, podview.OutcomeOf(whole)).Question, nil, 0)
		}
	})
}

// noteVerdict keeps a question about a Pod, and the answer.
func (a *archive) noteVerdict(ref lifecycle.TaskRef, question *pluginpb.FailedPod, answer *pluginpb.Verdict, took time.Duration) {
	a.see(ref, types.UID(question.GetUid()), func(s *seenPod) { s.judged = historyrecords.JudgedPod(question, answer, took) })
}

// noteDeletions keeps the causes of Pod deletions that are about to be requested, and the Pods that have ended. The answers to the
// requests may arrive after the Pods are gone.
func (c *Controller) noteDeletions(r *record, actions []lifecycle.Action) {
	if !r.archive.wanted {
		return
	}
	for _, action := range actions {
		d, ok := action.(lifecycle.DeletePod)
		if !ok {
			continue
		}
		r.archive.see(d.Task, d.UID, func(s *seenPod) { s.cause = d.Why.Cause })
		if p := c.watches.cachedPod(r.key.Namespace, r.podName(d.Task)); p != nil && p.UID == d.UID && podview.Ended(p.Status.Phase) {
			r.archive.noteEnd(d.Task, p, c.options.HistoryEnvironment)
		}
	}
}

// finishTask notes that the attempt of a Task no longer needs to be archived.
func (a *archive) finishTask(q lifecycle.ArchiveTask) {
	if a.done.Tasks == nil {
		a.done.Tasks = map[lifecycle.TaskRef]lifecycle.ArchivedTask{}
	}
	a.done.Tasks[q.Task] = lifecycle.ArchivedTask{UID: q.TaskUID, AttemptID: q.AttemptID}
	delete(a.pods, q.Task)
}

// finishAttempt notes that the attempt of the Framework, with all its Tasks, no longer needs to be archived.
func (a *archive) finishAttempt(q lifecycle.ArchiveAttempt) {
	*a = archive{wanted: a.wanted, generation: a.generation, done: lifecycle.Archived{Attempt: &q.AttemptID}}
}

// forgetTasks forgets the Tasks that are gone.
func (a *archive) forgetTasks(exists func(lifecycle.TaskRef) bool) {
	maps.DeleteFunc(a.done.Tasks, func(ref lifecycle.TaskRef, _ lifecycle.ArchivedTask) bool { return !exists(ref) })
	maps.DeleteFunc(a.pods, func(ref lifecycle.TaskRef, _ seenPod) bool { return !exists(ref) })
}

// of returns the Framework as the subject of records.
func (a *archiver) of(r *record) historyrecords.Subject {
	return historyrecords.Subject{Meta: &r.stored.meta, Spec: r.framework.Spec, Environment: a.environment}
}

// endedAttempt is the source of the records of an attempt. It is immutable, with all its content.
type endedAttempt struct {
	of    historyrecords.Subject
	saved *lifecycle.State
	seen  archive
}

func (a *archiver) endedAttempt(r *record, seen archive) endedAttempt {
	of, meta := a.of(r), r.stored.meta
	of.Meta = &meta
	return endedAttempt{of: of, saved: r.status.saved, seen: seen}
}

// copyOf copies the facts about some Tasks. A question about one Task must not cost as much as all of them.
func (a *archive) copyOf(asked []lifecycle.ArchiveTask) archive {
	out := archive{pods: map[lifecycle.TaskRef]seenPod{}, sent: a.sent}
	for _, q := range asked {
		out.pods[q.Task] = a.pods[q.Task]
	}
	return out
}

func (a *archive) copyOfAll() archive { return archive{pods: maps.Clone(a.pods), sent: a.sent} }

// hasEnded reports whether records of the attempt can be made.
func hasEnded(s *lifecycle.State) bool {
	state := s.Framework().State
	return state == v1.AttemptCompleted || state == v1.Completed
}
