package explain

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Framework says what a Framework is doing as a whole.
func Framework(f Facts) Answer {
	t := newTelling(f)
	if t.leftAlone() {
		return t.answer
	}
	t.headline()
	t.sayTasks()
	t.startOrders()
	t.schedulingChange()
	t.deletion()
	t.waiting()
	t.attemptEnded()
	t.troubledTasks()
	t.retriedTasks()
	t.avoidedNodes("")
	t.earlierAttempts()
	t.warnings()
	t.advise(seeTasks)
	return t.answer
}

// sayTasks says how the Tasks stand. Of an attempt that has not begun there is nothing to say.
func (t *telling) sayTasks() {
	tasks := t.all()
	switch {
	case len(tasks) == 0:
	case t.status.State == v1.AttemptCreationPending:
		t.say("It is to have %s.", tasksNumber(len(tasks)))
	default:
		t.say("%s", tasksOf(tasks, fmt.Sprintf("attempt %d", t.status.AttemptStatus.ID)))
	}
}

// leftAlone tells of a Framework for which nothing is done, and reports whether it is one.
func (t *telling) leftAlone() bool {
	name := t.Framework.Name
	by := t.Framework.Spec.ManagedBy
	invalid := t.condition(v1.ConditionStatusInvalid)
	switch {
	case by != "" && by != v1.ManagedByThis:
		t.say("Framework %s is run by another controller, %s, as its spec.managedBy says, so this one does nothing for it.", name, by)
	case invalid != nil:
		word := reason.Event(invalid.Reason).Row()
		t.say("Framework %s has been left alone since %s.", name, t.since(invalid.LastTransitionTime.Time))
		t.say("%s It says: %s", word.Means, asSentence(invalid.Message))
		t.sayIf(word.Ends)
		t.advise(word.Next...)
	case t.status == nil || t.status.State == "" && t.condition(v1.ConditionWaiting) == nil:
		t.say("Framework %s was created %s ago, and no controller has looked at it yet.", name, t.ago(t.Framework.CreationTimestamp.Time))
		t.say("If that takes more than some seconds, the controller does not run, or does not reach the API server.")
		t.advise(controllerIs)
	case t.status.State == "":
		t.say("Framework %s was created %s ago, and has not begun.", name, t.ago(t.Framework.CreationTimestamp.Time))
		t.waiting()
	default:
		return false
	}
	return true
}

func (t *telling) sayIf(sentence string) {
	if sentence != "" {
		t.say("%s", sentence)
	}
}

// headline says where the Framework stands.
func (t *telling) headline() {
	a := &t.status.AttemptStatus
	name := t.Framework.Name
	switch t.status.State {
	case v1.AttemptCreationPending:
		t.beforeAttempt()
	case v1.AttemptCreationRequested, v1.AttemptPreparing:
		t.say("Framework %s is starting: attempt %d began at %s, and none of its Tasks has run yet.", name, a.ID, t.since(a.StartTime.Time))
		if len(t.Framework.Spec.TaskRoles) == 0 || t.wanted() == 0 {
			t.add("It has no Tasks, so it idles until it gets some or is stopped.")
			t.advise(editSpec)
		}
	case v1.AttemptRunning:
		t.say("Framework %s is running: attempt %d began at %s.", name, a.ID, t.since(a.StartTime.Time))
	case v1.AttemptCompleted:
		t.say("Attempt %d of Framework %s is over, and all its Pods are gone.", a.ID, name)
	case v1.Completed:
		t.completed()
	default:
		t.say("Attempt %d of Framework %s is over, and its Pods are being deleted.", a.ID, name)
	}
	t.suspension()
}

// beforeAttempt tells of a Framework that has no attempt yet, or waits for the next one.
func (t *telling) beforeAttempt() {
	name := t.Framework.Name
	switch {
	case t.Framework.DeletionTimestamp != nil:
		t.say("Framework %s has not begun attempt %d.", name, t.status.AttemptStatus.ID)
		return
	case t.Framework.Spec.ExecutionType == v1.ExecutionStop:
		t.say("Framework %s was stopped, and is about to end without attempt %d.", name, t.status.AttemptStatus.ID)
		return
	}
	if t.Framework.Spec.ExecutionType == v1.ExecutionCreate {
		t.say("Framework %s is held: it begins when spec.executionType becomes Start.", name)
		t.advise(Step{Command: "kubectl framework start {framework} -n {namespace}", Why: "lets it begin"})
		return
	}
	if lifecycle.Suspended(&t.Framework.Spec) {
		t.say("Framework %s is suspended, and nothing of it runs: attempt %d begins when spec.suspend is false.", name, t.status.AttemptStatus.ID)
		t.advise(resume)
		return
	}
	t.say("Framework %s is about to begin attempt %d.", name, t.status.AttemptStatus.ID)
}

// wanted is how many Tasks the spec asks for.
func (t *telling) wanted() (n int) {
	for i := range t.Framework.Spec.TaskRoles {
		n += int(t.Framework.Spec.TaskRoles[i].TaskNumber)
	}
	return n
}

func (t *telling) completed() {
	how := "has ended"
	if s := t.status.AttemptStatus.CompletionStatus; s != nil {
		switch {
		case s.Type.Name == v1.CompletionSucceeded:
			how = "has succeeded"
		case t.Framework.Spec.ExecutionType == v1.ExecutionStop && s.Code < 0 && s.Trigger == nil:
			how = "was stopped"
		default:
			how = "has failed"
		}
	}
	at := t.status.TransitionTime.Time
	if t.status.CompletionTime != nil {
		at = t.status.CompletionTime.Time
	}
	t.say("Framework %s %s: it ended at %s, in attempt %d.", t.Framework.Name, how, t.since(at), t.status.AttemptStatus.ID)
}

// deletion tells of a Framework that is being deleted.
func (t *telling) deletion() {
	if at := t.Framework.DeletionTimestamp; at != nil {
		t.say("It was deleted at %s, and goes when all its Pods are gone.", t.since(at.Time))
		t.advise(seeTasks)
	}
}

// suspension tells of one whose attempt ends, or has ended, as it was suspended.
func (t *telling) suspension() {
	f := t.Framework
	if !lifecycle.Suspended(&f.Spec) || f.Spec.ExecutionType == v1.ExecutionStop || f.DeletionTimestamp != nil {
		return
	}
	if t.status.State == v1.Completed || t.status.State == v1.AttemptCreationPending {
		return
	}
	if t.status.AttemptStatus.CompletionStatus != nil && !t.prospect(t.wholeRetry()).follows() {
		return
	}
	t.say("It is suspended: it goes on, with a new attempt, when spec.suspend is false.")
	t.advise(resume)
}

// asSentence ends a text of others with a full stop, unless it ends like a sentence already.
func asSentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
