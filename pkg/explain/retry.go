package explain

import (
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
)

// retry is an attempt whose end is decided, with everything that decides on a retry.
type retry struct {
	about    Subject // the Framework, or a Task
	policy   v1.RetryPolicySpec
	role     *v1.TaskRoleStatus // of the Task; nil for the Framework
	roleSpec *v1.TaskRoleSpec
	counters v1.RetryPolicyStatus
	ended    v1.CompletionStatus
	advice   *v1.RetryAdvice // by the plugin that has judged the failure; nil if there is none
	task     *v1.TaskStatus  // nil for the Framework, and for an earlier attempt
	pauseSec int64           // minimum wait of a retry, as recent Pods never ran
	over     time.Time       // when it ended, as counted by windows
	since    time.Time       // when its present state began, from which a delay lasts
	final    bool            // the decision has been made: no retry
	ending   bool            // its Pods are not gone yet
}

// wholeRetry is the attempt of the Framework, whose end is decided.
func wholeRetry(k *known) retry {
	since := k.status.TransitionTime.Time
	var trigger *v1.TaskStatus
	if by := k.status.AttemptStatus.CompletionStatus.Trigger; by != nil {
		trigger = k.taskStatus(by.TaskRoleName, by.TaskIndex)
	}
	return retry{
		about: k.framework(), policy: k.Framework.Spec.RetryPolicy, counters: k.status.RetryPolicyStatus,
		pauseSec: retryrules.FrameworkPauseSec(k.status, trigger),
		ended:    k.status.AttemptStatus.CompletionStatus.CompletionStatus, over: since, since: since, final: k.status.State == v1.Completed,
		ending: k.status.State != v1.AttemptCompleted && k.status.State != v1.Completed,
	}
}

// taskRetry is the attempt of a Task whose end is decided; ok is false if the retry policy does not decide on its successor.
func taskRetry(k *known, role string, task *v1.TaskStatus) (r retry, ok bool) {
	spec, ended := k.roleSpec(role), task.AttemptStatus.CompletionStatus
	if spec == nil || ended == nil || task.DeletionPending {
		return retry{}, false
	}
	over := retryrules.EndingOf(&task.AttemptStatus, task.TransitionTime.Time)
	return retry{
		about: taskSubject(role, task.Index), policy: spec.Task.RetryPolicy, role: k.roleStatus(role), roleSpec: spec, counters: task.RetryPolicyStatus,
		ended: ended.CompletionStatus, advice: ended.Advice, task: task, pauseSec: retryrules.PauseSec(task), over: over.Time, since: task.TransitionTime.Time,
		final:  task.State == v1.Completed || k.status.AttemptStatus.CompletionStatus != nil, // it ends with its Framework's attempt
		ending: StandingOf(task) == Ending,
	}, true
}

// prospect is the future of an attempt whose end is decided, as long as the spec stays the same and nobody interferes.
type prospect string

const (
	noMore         prospect = "no more"            // the policy allows no retry
	unsaid         prospect = "unsaid"             // no retry, for a reason that the current policy does not show
	noneOfDeleted  prospect = "none: deleted"      // the policy grants one, but the Framework is being deleted
	noneOfStopped  prospect = "none: stopped"      // the policy grants one, but the Framework was stopped
	noneOfSuspend  prospect = "none: suspended"    // the policy grants the Task one, but the Framework's attempt is about to end
	afterInterrupt prospect = "after interruption" // whatever the policy is
	withOthers     prospect = "with others"        // as another Task has failed
	ofTheRole      prospect = "of the role"        // the policy of the role starts all its Tasks again
	scheduled      prospect = "scheduled"          // decided on before the policy was changed
	byPolicy       prospect = "by policy"
)

// follows reports whether there is another attempt.
func (p prospect) follows() bool {
	return p == afterInterrupt || p == withOthers || p == ofTheRole || p == scheduled || p == byPolicy
}

// row decides by the current policy. Restarts of the Task's role, and decisions from before an edit of the policy, are separate.
func (r retry) row() retryrules.Decision {
	c := retryrules.OfFramework(r.policy, r.counters, r.end())
	c.PauseSec = r.pauseSec
	return retryrules.Decide(c)
}

// again reports whether another attempt follows, and whether it is the role of the Task that starts again.
func (r retry) again() (follows, byRole bool) {
	if r.task == nil {
		return r.row().Follows, false
	}
	d := retryrules.Decide(retryrules.OfTask(r.roleSpec, r.role.RetriedCount, r.task, r.end()))
	return d.Follows, d.Role
}

func (r retry) end() retryrules.Ending {
	return retryrules.Ending{Status: r.ended, Advice: r.advice, Time: r.over}
}

// prospectOf uses the same table as the controller, and the same checks before and after it.
func prospectOf(k *known, r retry) prospect {
	row := r.row()
	next, byRole := r.again()
	switch {
	case row.ID == retryrules.EndedByController, r.final && row.Retry: // the policy has changed since
		return unsaid
	case r.final || !next:
		return noMore
	case k.Framework.DeletionTimestamp != nil:
		return noneOfDeleted
	case k.Framework.Spec.ExecutionType == v1.ExecutionStop:
		return noneOfStopped
	case r.role != nil && lifecycle.Suspended(&k.Framework.Spec):
		return noneOfSuspend
	case row.ID == retryrules.Interrupted:
		return afterInterrupt
	case row.ID == retryrules.WithPeers:
		return withOthers
	case byRole:
		return ofTheRole
	case !row.Retry:
		return scheduled
	}
	return byPolicy
}

// taskRetryOf states whether another attempt of a Task follows.
func taskRetryOf(k *known, role string, task *v1.TaskStatus) []Statement {
	if r, ok := taskRetry(k, role, task); ok {
		return retryOf(k, r)
	}
	return nil
}

// retryOf states whether another attempt follows, why, and when. A success without a successor needs no statement.
func retryOf(k *known, r retry) (all []Statement) {
	p := prospectOf(k, r)
	switch p {
	case noMore:
		all = r.noMore()
	case noneOfDeleted:
		all = []Statement{{Topic: NotRetriedDeleted, Subject: r.about}}
	case noneOfStopped:
		all = []Statement{{Topic: NotRetriedStopped, Subject: r.about}}
	case noneOfSuspend:
		all = []Statement{{Topic: NotRetriedSuspended, Subject: r.about}}
	case afterInterrupt:
		if !lifecycle.Suspended(&k.Framework.Spec) { // already stated
			all = []Statement{{Topic: RetriedAtOnce, Subject: r.about}}
		}
	case withOthers:
		all = []Statement{{Topic: RetriedWithOthers, Subject: r.about}}
	case ofTheRole:
		all = r.ofTheRole()
	case scheduled:
		all = []Statement{{Topic: RetryScheduled, Subject: r.about}}
	case byPolicy:
		all = []Statement{{Topic: Retried, Subject: r.about, Args: r.retriedArgs()}}
	}
	if due, known := r.due(k); p.follows() && known && !due.IsZero() {
		all = append(all, Statement{Topic: NextAttempt, Subject: r.about, Args: Args{Until: at(due)}})
	}
	return all
}

// noMore explains why a failure is the last one.
func (r retry) noMore() []Statement {
	row := r.row()
	switch {
	case r.ended.Type.Name != v1.CompletionFailed:
		return nil
	case row.ID == retryrules.GivenUp:
		return []Statement{{Topic: GivenUp, Subject: r.about, Args: Args{Row: row.ID}}}
	}
	args := Args{Row: row.ID, Ending: r.ending}
	switch {
	case row.ID == retryrules.Permanent:
	case row.ID == retryrules.BudgetUsedUp:
		r.addBudget(&args)
	case row.ID == retryrules.WindowFull:
		args.Used, args.WithinSec = &r.policy.Window.Failures, r.policy.Window.WithinSec
	default:
		r.addUsed(&args)
	}
	all := []Statement{{Topic: NotRetried, Subject: r.about, Args: args}}
	if _, byRole := r.again(); r.role != nil && r.final && row.UsedUp && r.roleSpec.RetryPolicy != nil && !byRole {
		all = append(all, Statement{Topic: RoleNotRestarted, Subject: roleSubject(r.role.Name), Args: usedByRole(r.roleSpec, r.role)})
	}
	return all
}

// ofTheRole explains why the role restarts; if its policy has changed since the decision, it only states that the role does.
func (r retry) ofTheRole() []Statement {
	role := roleSubject(r.role.Name)
	if row := r.row(); r.roleSpec.RetryPolicy == nil || !row.UsedUp {
		return []Statement{{Topic: RoleRestartScheduled, Subject: role}}
	}
	return append(r.noMore(), Statement{Topic: RoleRestarts, Subject: role, Args: usedByRole(r.roleSpec, r.role)})
}

func usedByRole(spec *v1.TaskRoleSpec, role *v1.TaskRoleStatus) Args {
	return Args{Used: &role.RetriedCount, Limit: &spec.RetryPolicy.MaxRetryCount}
}

// retriedArgs returns the row of the retry table by which another attempt follows, with its numbers.
func (r retry) retriedArgs() Args {
	row := r.row()
	args := Args{Row: row.ID, Ending: r.ending, Delayed: r.ending && r.delayed(row)}
	r.addCounts(&args)
	return args
}

// addCounts adds the numbers on which the row depends.
func (r retry) addCounts(a *Args) {
	switch a.Row {
	case retryrules.ConflictInBudget, retryrules.InBudget:
		r.addBudget(a)
	case retryrules.Always, retryrules.OnFailure:
	default:
		r.addUsed(a)
	}
}

// addUsed adds how many of the policy's retries are used.
func (r retry) addUsed(a *Args) {
	a.Retries, a.Used, a.Limit = &r.counters.TotalRetriedCount, &r.counters.AccountableRetriedCount, &r.policy.MaxRetryCount
}

// addBudget adds the deciding budget, with the number of its used retries; nothing if the budget has changed since.
func (r retry) addBudget(a *Args) {
	if b := retryrules.BudgetOf(r.policy, r.ended); b != nil {
		used := retryrules.BudgetUsed(r.counters, b)
		a.Budget, a.Used, a.Limit = retryrules.BudgetCause(b), &used, &b.MaxRetryCount
	}
}

// delayed reports whether a retry by that row will be delayed when it is scheduled, maybe for a random time.
func (r retry) delayed(row retryrules.Decision) bool {
	return row.DelaySec > 0 || row.Conflict && r.role == nil
}

// due is when the next attempt begins; zero if it does not wait. It is not known of an attempt that is not over, nor while the
// Framework is suspended.
func (r retry) due(k *known) (at time.Time, known bool) {
	switch {
	case r.ending || lifecycle.Suspended(&k.Framework.Spec):
		return time.Time{}, false
	case r.task != nil && r.task.AttemptStatus.Restart != nil:
		return dueTogether(k, r.role.Name)
	case r.counters.RetryDelaySec == nil || *r.counters.RetryDelaySec == 0:
		return time.Time{}, true
	}
	return retryTime(r.since, r.counters), true
}

func retryTime(over time.Time, counters v1.RetryPolicyStatus) time.Time {
	if counters.RetryDelaySec == nil {
		return time.Time{}
	}
	return over.Add(time.Duration(*counters.RetryDelaySec) * time.Second)
}

// restart names the Tasks with which a Task restarts.
func restart(k *known, role string, task *v1.TaskStatus) []Statement {
	if !restarts(task) || k.status.AttemptStatus.CompletionStatus != nil {
		return nil
	}
	r := task.AttemptStatus.Restart
	args := Args{Scope: scopeFramework, Task: TaskName(r.TaskRoleName, r.TaskIndex)}
	if r.Scope == v1.RestartRole {
		args.Scope, args.Role = scopeRole, r.TaskRoleName
	}
	return []Statement{{Topic: RestartsTogether, Subject: taskSubject(role, task.Index), Args: args}}
}

// restarts reports whether a Task starts again together with others.
func restarts(task *v1.TaskStatus) bool {
	return task.AttemptStatus.Restart != nil && !task.DeletionPending && task.State != v1.Completed
}

// dueTogether is the time at which the Tasks of a role begin that restart together, with Tasks of other roles if they take part:
// when the last of them may; zero if they do not wait. It is unknown until all have ended.
func dueTogether(k *known, name string) (at time.Time, known bool) {
	for i := range k.status.AttemptStatus.TaskRoleStatuses {
		role := &k.status.AttemptStatus.TaskRoleStatuses[i]
		if role.Name != name && !(startsAsPart(k.roleStatus(name)) && startsAsPart(role)) {
			continue
		}
		for j := range role.TaskStatuses {
			task := &role.TaskStatuses[j]
			if !restarts(task) {
				continue
			}
			if task.State != v1.AttemptCompleted {
				return time.Time{}, false
			}
			if due := retryTime(task.TransitionTime.Time, task.RetryPolicyStatus); due.After(at) {
				at = due
			}
		}
	}
	return at, true
}

// startsAsPart reports whether a role starts again as a part of its Framework.
func startsAsPart(role *v1.TaskRoleStatus) bool {
	for i := range role.TaskStatuses {
		if task := &role.TaskStatuses[i]; restarts(task) && task.AttemptStatus.Restart.Scope == v1.RestartFramework {
			return true
		}
	}
	return false
}
