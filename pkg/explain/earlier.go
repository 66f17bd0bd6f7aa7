package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// mostEarlier is the maximum number of earlier attempts in an answer, the latest ones.
const mostEarlier = 5

// earlierAttempts lists attempts that are no longer in the status, from the facts of events.
func earlierAttempts(k *known) []Statement {
	n := int(k.status.RetryPolicyStatus.TotalRetriedCount)
	if n == 0 {
		return nil
	}
	if told := earlierOf(k, k.framework(), func(e *event) bool { return e.ofFramework(reason.Retried) }); len(told) > 0 {
		return told
	}
	return []Statement{{Topic: EarlierForgotten, Subject: k.framework(), Args: Args{Attempts: &n}}}
}

// earlierTaskAttempts lists the earlier attempts of a Task in the current attempt of the Framework. If events lack them, the status
// has a summary.
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

// retryArgs describes the beginning of an attempt, and the end of the previous one. An older controller has recorded no facts,
// and its message is quoted verbatim.
func retryArgs(e *event) Args {
	f := reason.FactsOf(e.Annotations)
	if f.Attempt == nil || f.Code == nil {
		return Args{Since: at(e.At), Words: e.Message}
	}
	return Args{Since: at(e.At), Attempt: f.Attempt, Code: f.Code, Phrase: f.Phrase, Node: f.Node}
}

// taskOf is a Task with its role.
type taskOf struct {
	role string
	task *v1.TaskStatus
}

func (t taskOf) subject() Subject { return taskSubject(t.role, t.task.Index) }

// retriedTasks lists Tasks that were retried and continue: no other statement mentions their failures.
func retriedTasks(k *known) []Statement {
	if k.status.AttemptStatus.CompletionStatus != nil {
		return nil
	}
	retried := map[string]taskOf{} // by name
	var one Subject
	var retries, counted int32
	for role, task := range k.tasks {
		if n := task.RetryPolicyStatus; n.TotalRetriedCount > 0 && !inTrouble(task) {
			of := taskOf{role, task}
			one = of.subject()
			retried[one.Name] = of
			retries, counted = retries+n.TotalRetriedCount, counted+n.AccountableRetriedCount
		}
	}
	args := Args{Retries: &retries, Counted: &counted}
	switch n := len(retried); n {
	case 0:
		return nil
	case 1:
		return append([]Statement{{Topic: TaskRetries, Subject: one, Args: args}}, lastRetry(k, retried)...)
	default:
		args.Tasks = &n
		return append([]Statement{{Topic: TasksRetried, Subject: k.framework(), Args: args}}, lastRetry(k, retried)...)
	}
}

// lastRetry explains the latest retry of one of these Tasks: the failure before it, its meaning, and the rule for the retry. An
// event of an older controller does not name its Task, so it may be about any.
func lastRetry(k *known, retried map[string]taskOf) []Statement {
	last := k.latest(func(e *event) bool {
		name := reason.FactsOf(e.Annotations).Task()
		return e.ofFramework(reason.TaskRetried) && (name == "" || retried[name].task != nil)
	})
	if last == nil {
		return nil
	}
	f, args := reason.FactsOf(last.Annotations), retryArgs(last)
	if args.Attempt == nil || f.Task() == "" {
		args = Args{Since: args.Since, Words: last.Message}
		return advising([]Statement{{Topic: LastRetry, Subject: k.framework(), Args: args}}, k.steps(names{}, followLogs, seeEvents)...)
	}
	args.Task = f.Task()
	all := append([]Statement{{Topic: LastRetry, Subject: k.framework(), Args: args}}, whyRetried(k, retried[f.Task()], f)...)
	return advising(all, k.steps(names{task: f.Task()}, followLogs, seeEvents)...)
}

// whyRetried explains the end of an attempt, and the row of the retry table by which another one followed, as recorded in the
// event: the current policy and counters may select another row. A row missing from the event is not explained.
func whyRetried(k *known, of taskOf, f reason.Facts) []Statement {
	ended := v1.CompletionStatus{Code: *f.Code, Phrase: f.Phrase}
	predefined := completion.IsPredefined(ended, ended.Code)
	if predefined {
		ended = completion.Predefined(ended.Code, "") // adds the type
	}
	means := Args{Code: &ended.Code, Phrase: ended.Phrase, Type: string(ended.Type.Name)}
	all := []Statement{{Topic: CodeMeans, Subject: of.subject(), Args: means, Continues: true}}
	spec, status := k.roleSpec(of.role), k.roleStatus(of.role)
	row, found := retryrules.RowOf(f.Row)
	if !found || spec == nil {
		return all
	}
	switch {
	case row.Role:
		var used Args
		if spec.RetryPolicy != nil {
			used = usedByRole(spec, status)
		}
		return append(all, Statement{Topic: RoleWasRestarted, Subject: roleSubject(of.role), Args: used})
	case row.AtOnce:
		return append(all, Statement{Topic: RetryCostNothing, Subject: of.subject(), Args: Args{Row: row.ID}})
	case row.Retry:
		r := retry{policy: spec.Task.RetryPolicy, counters: of.task.RetryPolicyStatus, ended: ended}
		args := Args{Row: row.ID}
		if predefined || !row.Budget { // the type of the failure selects the budget
			r.addCounts(&args)
		}
		return append(all, Statement{Topic: WasRetried, Subject: of.subject(), Args: args})
	}
	return all
}
