package explain

import (
	"cmp"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// podDeletion explains why the controller deletes the Pod of a Task's current attempt, or has deleted it.
func podDeletion(k *known, role string, task *v1.TaskStatus) []Statement {
	why := lifecycle.PodDeletion(&k.Framework.Spec, k.status, role, task)
	if why.Cause == 0 {
		return nil
	}
	args := deletionArgs(why)
	args.Pod, args.Ending = task.AttemptStatus.PodName, task.AttemptStatus.CompletionTime == nil
	topic := PodDeletedWithAttempt
	if why.Code == task.AttemptStatus.CompletionStatus.Code { // its meaning has been explained
		topic = PodDeleted
	}
	return []Statement{{Topic: topic, Subject: taskSubject(role, task.Index), Args: args, next: aboutCause(k, taskNames(k, role, task), why.Cause)}}
}

func deletionArgs(why reason.Deletion) Args {
	args := Args{Cause: why.Cause.String(), Row: retryrules.RowID(why.Row)}
	if why.Ended {
		args.Code = &why.Code
	}
	return args
}

// aboutCause returns the command for a cause, unless the user has just run it.
func aboutCause(k *known, n names, c reason.Cause) []Step {
	if next := c.Row().Next; next.Command != explainTask.Command {
		return k.steps(n, next)
	}
	return nil
}

// earlierDeletions lists the deleted Pods of a Task from events, except the one in the status.
func earlierDeletions(k *known, role string, task *v1.TaskStatus) (told []Statement) {
	now, name := lifecycle.PodDeletion(&k.Framework.Spec, k.status, role, task), TaskName(role, task.Index)
	for i := range k.events {
		e := &k.events[i]
		f := reason.FactsOf(e.Annotations)
		if !e.ofFramework(reason.Pod.EventReason()) || f.Cause == 0 || !slices.Contains(f.Tasks, name) || f.Deletion() == now {
			continue
		}
		args := deletionArgs(f.Deletion())
		args.Since = at(e.At)
		told = append(told, Statement{Topic: PodDeletedEarlier, Subject: taskSubject(role, task.Index), Args: args,
			next: aboutCause(k, taskNames(k, role, task), f.Cause)})
	}
	return told[max(0, len(told)-mostEarlier):]
}

// deletedPods lists the deleted Pods of the Framework from events, by cause, the latest one first.
func deletedPods(k *known) []Statement {
	var all []DeletedPods
	for i := range k.events {
		e := &k.events[i]
		f := reason.FactsOf(e.Annotations)
		if !e.ofFramework(reason.Pod.EventReason()) || f.Cause == 0 {
			continue
		}
		of := slices.IndexFunc(all, func(p DeletedPods) bool { return p.Cause == f.Cause.String() })
		if of < 0 {
			of = len(all)
			all = append(all, DeletedPods{Cause: f.Cause.String()})
		}
		all[of].Since = *at(e.At) // events are in order
		for _, task := range f.Tasks {
			if !slices.Contains(all[of].Tasks, task) {
				all[of].Tasks = append(all[of].Tasks, task)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	for i := range all {
		slices.Sort(all[i].Tasks)
	}
	slices.SortStableFunc(all, func(a, b DeletedPods) int {
		return cmp.Or(b.Since.Compare(a.Since.Time), cmp.Compare(a.Cause, b.Cause))
	})
	return []Statement{{Topic: PodsDeleted, Subject: k.framework(), Args: Args{Deleted: all}, next: k.steps(names{}, seeEvents)}}
}
