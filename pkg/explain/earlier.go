package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// mostEarlier is how many earlier attempts are told, the latest ones.
const mostEarlier = 5

// earlierAttempts are those of which the status has nothing, by the facts of the events about them.
func earlierAttempts(k *known) []Statement {
	n := int(k.status.RetryPolicyStatus.TotalRetriedCount)
	if n == 0 {
		return nil
	}
	if told := earlierOf(k, k.framework(), func(e *event) bool { return e.ofFramework(reason.Retried) }); len(told) > 0 {
		return told
	}
	return []Statement{{Topic: EarlierForgotten, Subject: k.framework(), Args: Args{Tasks: &n}}}
}

// earlierTaskAttempts are those of a Task in the current attempt of the Framework. If no events have them, its status does in short.
func earlierTaskAttempts(k *known, role string, task *v1.TaskStatus) []Statement {
	about := taskSubject(role, task.Index)
	told := earlierOf(k, about, func(e *event) bool {
		return e.ofFramework(reason.TaskRetried) && reason.FactsOf(e.Annotations).Task() == about.Name && !e.At.Before(k.status.AttemptStatus.StartTime.Time)
	})
	if len(told) > 0 {
		return told
	}
	kept := task.EarlierAttempts
	for i := range kept[max(0, len(kept)-mostEarlier):] {
		a := &kept[max(0, len(kept)-mostEarlier)+i]
		told = append(told, Statement{Topic: EarlierAttempt, Subject: about,
			Args: Args{Attempt: &a.ID, Since: &a.CompletionTime, Code: &a.Code, Phrase: a.Phrase, Node: a.Node}})
	}
	return told
}

func earlierOf(k *known, about Subject, is func(*event) bool) (told []Statement) {
	for i := range k.events {
		if e := &k.events[i]; is(e) {
			told = append(told, Statement{Topic: EarlierRetry, Subject: about, Args: retryArgs(e)})
		}
	}
	return told[max(0, len(told)-mostEarlier):]
}

// retryArgs is when an attempt began, and how the one before it ended. An older controller has noted no facts, and its words are
// quoted as they are.
func retryArgs(e *event) Args {
	f := reason.FactsOf(e.Annotations)
	if f.Attempt == nil || f.Code == nil {
		return Args{Since: at(e.At), Words: e.Message}
	}
	return Args{Since: at(e.At), Attempt: f.Attempt, Code: f.Code, Phrase: f.Phrase, Node: f.Node}
}

// retriedTasks are Tasks that were tried again and go on: nothing else says that they have failed before.
func retriedTasks(k *known) []Statement {
	if k.status.AttemptStatus.CompletionStatus != nil {
		return nil
	}
	var one Subject
	var n int
	var retries, counted int32
	for role, task := range k.tasks {
		if of := task.RetryPolicyStatus; of.TotalRetriedCount > 0 && !inTrouble(task) {
			one, n = taskSubject(role, task.Index), n+1
			retries, counted = retries+of.TotalRetriedCount, counted+of.AccountableRetriedCount
		}
	}
	args := Args{Retries: &retries, Counted: &counted}
	switch n {
	case 0:
		return nil
	case 1:
		return append([]Statement{{Topic: TaskRetries, Subject: one, Args: args}}, lastRetry(k)...)
	}
	args.Tasks = &n
	return append([]Statement{{Topic: TasksRetried, Subject: k.framework(), Args: args}}, lastRetry(k)...)
}

// lastRetry says after what a Task was tried again last, what that means, and what the retry policy has made of it.
func lastRetry(k *known) []Statement {
	last := k.latest(func(e *event) bool { return e.ofFramework(reason.TaskRetried) })
	if last == nil {
		return nil
	}
	f, args := reason.FactsOf(last.Annotations), retryArgs(last)
	if args.Attempt == nil || f.Task() == "" {
		args = Args{Since: args.Since, Words: last.Message}
		return advising([]Statement{{Topic: LastRetry, Subject: k.framework(), Args: args}}, k.steps(names{}, followLogs, seeEvents)...)
	}
	args.Task = f.Task()
	all := append([]Statement{{Topic: LastRetry, Subject: k.framework(), Args: args}}, whyRetried(k, f)...)
	return advising(all, k.steps(names{task: f.Task()}, followLogs, seeEvents)...)
}

// whyRetried says what the end of an attempt means, and what the retry policy has made of it if the code alone tells its type.
func whyRetried(k *known, f reason.Facts) []Statement {
	ended := v1.CompletionStatus{Code: *f.Code, Phrase: f.Phrase}
	known := completion.IsPredefined(ended, ended.Code)
	if known {
		ended = completion.Predefined(ended.Code, "") // which has the type, too
	}
	means := Args{Code: &ended.Code, Phrase: ended.Phrase, Type: string(ended.Type.Name)}
	for role, task := range k.tasks {
		if TaskName(role, task.Index) != f.Task() {
			continue
		}
		about := taskSubject(role, task.Index)
		all := []Statement{{Topic: CodeMeans, Subject: about, Args: means, Continues: true}}
		spec, by := k.roleSpec(role), k.roleStatus(role)
		if !known || spec == nil {
			return all
		}
		r := retry{about: about, policy: spec.Task.RetryPolicy, counters: task.RetryPolicyStatus, ended: ended, over: k.Now}
		switch {
		case r.row().Retry:
			all = append(all, r.pastRetry()...)
		case spec.RetryPolicy != nil && by.RetriedCount > 0:
			all = append(all, Statement{Topic: RoleWasRestarted, Subject: roleSubject(role), Args: usedByRole(spec, by)})
		}
		return all
	}
	return []Statement{{Topic: CodeMeans, Subject: k.framework(), Args: means, Continues: true}} // the Task is gone
}
