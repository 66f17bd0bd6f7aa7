package explain

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// sayDeletion says why the controller deletes the Pod of a Task's current attempt, or has deleted it.
func (t *telling) sayDeletion(role string, task *v1.TaskStatus) {
	why := lifecycle.PodDeletion(&t.Framework.Spec, t.status, role, task)
	if why.Cause == 0 {
		return
	}
	deletes, deleted, pod := "deleted", "was deleted", task.AttemptStatus.PodName
	if task.AttemptStatus.CompletionTime == nil {
		deletes, deleted = "is deleting", "is being deleted"
	}
	if why.Code == task.AttemptStatus.CompletionStatus.Code { // whose meaning has been told
		t.say("The controller %s Pod %s: %s.", deletes, pod, why.Facts())
	} else {
		t.say("Pod %s %s with the attempt of the Framework: %s. %s", pod, deleted, why.Facts(), why.Cause.Row().Means)
	}
	t.adviseAbout(why.Cause)
}

// earlierDeletions says what events have about deleted Pods of a Task, as far as the status does not say the same.
func (t *telling) earlierDeletions(role string, task *v1.TaskStatus) {
	now := lifecycle.PodDeletion(&t.Framework.Spec, t.status, role, task)
	name := TaskName(role, task.Index)
	var told []event
	for _, e := range t.inOrder() {
		if f := reason.FactsOf(e.Annotations); e.ofFramework(reason.Pod.EventReason()) && f.Cause != 0 && slices.Contains(f.Tasks, name) && f.Deletion() != now {
			told = append(told, e)
		}
	}
	for _, e := range told[max(0, len(told)-mostEarlier):] {
		why := reason.FactsOf(e.Annotations).Deletion()
		t.say("The controller deleted a Pod of this Task %s ago: %s. %s", t.ago(e.At), why.Facts(), why.Cause.Row().Means)
		t.adviseAbout(why.Cause)
	}
}

// adviseAbout adds the command for a cause, unless it is the one that has led here.
func (t *telling) adviseAbout(c reason.Cause) {
	if next := Step(c.Row().Next); next.Command != explainTask.Command {
		t.advise(next)
	}
}
