package waiting

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Fact is one thing that keeps a Framework from going on. Which fields are set follows from the reason. The zero value is nothing.
type Fact struct {
	// Reason is one PascalCase word.
	Reason reason.Waiting
	// Action that has not succeeded yet; empty if the wait comes from no action.
	Action Action
	Subject
	// Words of others; empty if there are none. They may be put differently at any time.
	Words string
	// More is how many more Tasks wait for the same.
	More int

	// Since when a Pod or the ConfigMap terminates, or a Pod might have got going.
	Since time.Time
	// Left names the containers that run on although Container has ended.
	Left string
	// Termination is what keeps a terminating Pod.
	Termination Termination
	// Wanted is how many Tasks the spec has, and Most how many there may be.
	Wanted, Most int
	// Order is why a role does not start.
	Order Order
	// HalfGang is a role that has no deadline for a node, while other Tasks of its gang keep theirs; empty if there is none.
	HalfGang string

	// Edited: Words are the first after a change of the spec, so numbers in them may have changed with it.
	Edited bool
	// Minor: it keeps nothing from running, and is reported only if nothing else is in the way.
	Minor bool
	// Told is the whole sentence if there are no facts: a warning about the spec, or a wait that was stored by a version which stored
	// none.
	Told string
}

// ForNode reports whether the wait is for a node.
func (f Fact) ForNode() bool {
	return f.Reason == reason.Unschedulable || f.Reason == reason.PodNotScheduled
}

// Subject is the object that a Fact is about. Fields that do not apply are empty.
type Subject struct {
	// Role, and with Pod the Task of that Index.
	Role  string
	Index int32
	Pod   string
	// Node and Container of the Pod.
	Node, Container string
	// Object that the action is about, if that is no Pod: the name of a ConfigMap, a Service or a Secret.
	Object string
}

// Termination is what keeps a terminating Pod.
type Termination struct {
	// Finalizers of the Pod, separated by commas; empty if it has none.
	Finalizers string
	// Held: nothing but they keep it.
	Held bool
	// Limited: the role has a podGracefulDeletionTimeoutSec, after which the Pod is deleted by force.
	Limited bool
}

// Action is an action of the controller, as status.waiting names it. It never changes.
type Action string

// The actions. ClassifyPod and the actions after it are questions to plugins.
const (
	CreateConfigMap  Action = "CreateConfigMap"
	DeleteConfigMap  Action = "DeleteConfigMap"
	ReadConfigMap    Action = "ReadConfigMap"
	ReadItems        Action = "ReadItems"
	CreatePod        Action = "CreatePod"
	DeletePod        Action = "DeletePod"
	ReadPod          Action = "ReadPod"
	KeepService      Action = "KeepService"
	DeleteService    Action = "DeleteService"
	KeepSecret       Action = "KeepSecret"
	DeleteSecret     Action = "DeleteSecret"
	KeepClaim        Action = "KeepClaim"
	DeleteClaim      Action = "DeleteClaim"
	DeleteFramework  Action = "DeleteFramework"
	ClassifyPod      Action = "ClassifyPod"
	JudgeStart       Action = "JudgeStart"
	DecideCompletion Action = "DecideCompletion"
	AskHints         Action = "AskHints"
	PrepareHints     Action = "PrepareHints"
	ArchiveTask      Action = "ArchiveTask"
	ArchiveAttempt   Action = "ArchiveAttempt"
	CollectLogs      Action = "CollectLogs"
)

// Question reports whether the action is a question to a plugin.
func (a Action) Question() bool {
	switch a {
	case ClassifyPod, JudgeStart, DecideCompletion, AskHints, PrepareHints, ArchiveTask, ArchiveAttempt, CollectLogs:
		return true
	}
	return false
}

// Hints reports whether the action is about the hints for the scheduler.
func (a Action) Hints() bool { return a == AskHints || a == PrepareHints }

// Status is the Fact as status.waiting. Before is what is stored there now; nil if nothing is, and then the wait began at that time. The
// time stays while the reason does.
func (f Fact) Status(before *v1.WaitingStatus, now metav1.Time) *v1.WaitingStatus {
	w := &v1.WaitingStatus{
		Reason: string(f.Reason), Since: now, Role: f.Role, Pod: f.Pod, Node: f.Node, Container: f.Container,
		MoreTasks: int32(roughly(f.More)), Action: string(f.Action), Message: f.Words,
	}
	if f.Pod != "" {
		w.Index = &f.Index
	}
	if before != nil && before.Reason == w.Reason {
		w.Since = before.Since
	}
	return w
}

// Restored is the Fact about an action that is stored as status.waiting.
func Restored(w *v1.WaitingStatus) Fact {
	f := Fact{Reason: reason.Waiting(w.Reason), Action: Action(w.Action), Words: w.Message}
	f.Role, f.Pod = w.Role, w.Pod
	if w.Index != nil {
		f.Index = *w.Index
	}
	return f
}

// isAbout reports whether the stored facts have the same reason, action and subject. The name of the object follows from the
// action.
func (f Fact) isAbout(w *v1.WaitingStatus) bool {
	if w == nil || w.Index != nil != (f.Pod != "") || w.Index != nil && *w.Index != f.Index {
		return false
	}
	return w.Reason == string(f.Reason) && w.Action == string(f.Action) && w.Role == f.Role && w.Pod == f.Pod && w.Node == f.Node &&
		w.Container == f.Container && w.MoreTasks == int32(roughly(f.More))
}

// roughly rounds a number of Tasks down, so that it changes rarely while it grows: each change is a status write.
func roughly(n int) int {
	for _, many := range []int{5000, 1000, 500, 100, 50, 10} {
		if n > many {
			return many + 1
		}
	}
	return n
}
