package waiting

import (
	"cmp"
	"iter"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// View is what Of looks at: a Framework in one round. Nothing of it is changed.
type View struct {
	// Framework is its name.
	Framework string
	Now       time.Time
	// Stored is what the Framework waits for as stored; nil if for nothing, or if the version that stored it stored no facts.
	Stored *v1.WaitingStatus
	// Blockers are what the caller has found, Minor ones last.
	Blockers []Fact
	// Ended: the attempt's ConfigMap is gone for good. Completing: it is decided, and not gone yet. Deleting: the Framework is being
	// deleted.
	Ended, Completing, Deleting bool
	// Surplus: Tasks are missing because the spec has too many; nil if none are missing.
	Surplus *Surplus
	// Items that are waited for; nil if none are.
	Items *Fact
	// ConfigMap of the attempt, or of an earlier one, which is in the way; nil if there is none.
	ConfigMap *ConfigMap
	Spec      *v1.FrameworkSpec
	// Roles that the spec has, in its order; nil if none starts after others.
	Roles []Role
	// AttemptStart is when the attempt began.
	AttemptStart time.Time
	// Completed are the Frameworks that roles start after and that have completed as they have to.
	Completed []v1.StartedAfterStatus
	// Others are the other ones, by name, and OthersCircle are Frameworks that wait for each other, beginning with this one; nil if it
	// is in no circle.
	Others       map[string]gates.Other
	OthersCircle []string
	Tasks        Tasks
}

// Tasks are the Tasks of a View.
type Tasks interface {
	// Stalls yields each Task whose Pod stalls, in any order; a Task that the status does not have may be among them.
	Stalls(yield func(Task, Stall) bool)
	// Stall of one of them.
	Stall(Task) Stall
	// Status of a Task; nil if there is none.
	Status(Task) *v1.TaskStatus
	// Limited reports whether a role has a podGracefulDeletionTimeoutSec.
	Limited(role string) bool
	// Completions yields when each Task's attempt has completed that has.
	Completions() iter.Seq[time.Time]
}

// Task names a Task of the Framework.
type Task struct {
	Role  string
	Index int32
}

func (t Task) String() string { return v1.TaskName(t.Role, t.Index) }

func (t Task) compare(u Task) int {
	return cmp.Or(cmp.Compare(t.Role, u.Role), cmp.Compare(t.Index, u.Index))
}

// Surplus is how many Tasks the spec has, and how many there may be.
type Surplus struct{ Wanted, Most int }

// ConfigMap is what there is to know of a ConfigMap.
type ConfigMap struct {
	UID types.UID
	// Deleting: it has a deletionTimestamp, since TerminationStart.
	Deleting         bool
	TerminationStart time.Time
}

// Of returns the fact for which the Framework waits, or the zero Fact if nothing is worth reporting. lookAt is the time to look
// again although nothing has happened; zero if that is not needed.
func Of(v View) (what Fact, lookAt time.Time) {
	l := &look{View: v}
	return l.reported(), l.at
}

// look is a View that is being looked at, and when to look again.
type look struct {
	View
	at time.Time
}

// by asks for another look at t at the latest.
func (l *look) by(t time.Time) {
	if l.at.IsZero() || t.Before(l.at) {
		l.at = t
	}
}

// reported returns the first of the facts, in the order in which they matter.
func (l *look) reported() Fact {
	if len(l.Blockers) > 0 && !l.Blockers[0].Minor {
		return l.settled(l.Blockers[0]) // also about its own deletion, when it has ended
	}
	if l.Ended {
		return Fact{}
	}
	if s := l.Surplus; s != nil {
		return Fact{Reason: reason.TooManyTasks, Wanted: s.Wanted, Most: s.Most}
	}
	if l.Items != nil {
		return *l.Items
	}
	if f, blocked := l.startBlocked(); blocked {
		return f
	}
	late := l.overdue()
	if terminating := late[reason.PodTerminating]; len(terminating) > 0 {
		return l.podTerminating(terminating)
	}
	if l.configMapLate(configMapPatience) {
		f := Fact{Reason: reason.ConfigMapTerminating, Since: l.ConfigMap.TerminationStart}
		f.Object = v1.ConfigMapName(l.Framework)
		return f
	}
	for _, why := range stallReasons {
		if len(late[why]) > 0 {
			return l.stalled(late[why])
		}
	}
	if len(l.Blockers) > 0 {
		return l.settled(l.Blockers[0])
	}
	return l.startsLater()
}

// settled is a blocker with the words that are stored, if these say the same. A quota reports with each try how much of it is used,
// and a webhook may report the time or an id; each change is a status write.
// A plugin's message counts as it is: it may have numbers that tell its reader whether the last change was enough.
func (l *look) settled(f Fact) Fact {
	if !f.Action.Question() && f.isAbout(l.Stored) && !f.Edited && sameWords(l.Stored.Message, f.Words) {
		f.Words = l.Stored.Message
	}
	return f
}

// ConfigMapLate reports whether the ConfigMap has been terminating for that long although none of its Pods is, and otherwise when
// to look again; zero if that does not depend on the time.
func ConfigMapLate(v View, patience time.Duration) (late bool, lookAt time.Time) {
	l := &look{View: v}
	return l.configMapLate(patience), l.at
}

func (l *look) configMapLate(patience time.Duration) bool {
	if l.ConfigMap == nil || !l.ConfigMap.Deleting {
		return false
	}
	for task, stall := range l.Tasks.Stalls {
		if stall.terminating() && !stall.Held && l.concerns(task, stall) {
			return false
		}
	}
	since := l.ConfigMap.TerminationStart // or when the last Pod has gone, if that was later
	for at := range l.Tasks.Completions() {
		if at.After(since) {
			since = at
		}
	}
	due := since.Add(patience)
	if l.Now.Before(due) {
		l.by(due)
		return false
	}
	return true
}
