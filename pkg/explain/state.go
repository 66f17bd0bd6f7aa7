package explain

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// leftAlone is about a Framework that the controller leaves alone; nil for others.
func leftAlone(k *known) []Statement {
	f, by, created := k.framework(), k.Framework.Spec.ManagedBy, &k.Framework.CreationTimestamp
	invalid := k.condition(v1.ConditionStatusInvalid)
	switch {
	case by != "" && by != v1.ManagedByThis:
		return []Statement{{Topic: ManagedElsewhere, Subject: f, Args: Args{Controller: by}}}
	case invalid != nil:
		why := Args{Reason: invalid.Reason, Words: invalid.Message}
		all := []Statement{
			{Topic: LeftAlone, Subject: f, Args: Args{Since: &invalid.LastTransitionTime}},
			{Topic: Invalid, Subject: f, Args: why, next: k.steps(names{}, reason.Event(invalid.Reason).Row().Next...)},
		}
		if reason.Event(invalid.Reason).Row().Ends != "" {
			all = append(all, Statement{Topic: InvalidEnds, Subject: f, Args: Args{Reason: invalid.Reason}})
		}
		return all
	case k.status == nil || k.status.State == "" && k.condition(v1.ConditionWaiting) == nil:
		return []Statement{
			{Topic: NotSeen, Subject: f, Args: Args{Since: created}},
			{Topic: ControllerMayBeDown, Subject: f, next: k.steps(names{}, controllerIs)},
		}
	case k.status.State == "":
		return append([]Statement{{Topic: NotBegun, Subject: f, Args: Args{Since: created}}}, waiting(k)...)
	}
	return nil
}

// headline describes the state of the Framework.
func headline(k *known) []Statement {
	a, f := &k.status.AttemptStatus, k.framework()
	began := Args{Attempt: &a.ID, Since: &a.StartTime}
	over := Args{Attempt: &a.ID}
	switch k.status.State {
	case v1.AttemptCreationPending:
		return beforeAttempt(k)
	case v1.AttemptCreationRequested, v1.AttemptPreparing:
		all := []Statement{{Topic: FrameworkStarting, Subject: f, Args: began}}
		if tasksWanted(k) == 0 {
			all = append(all, Statement{Topic: HasNoTasks, Subject: f, Continues: true, next: k.steps(names{}, editSpec)})
		}
		return all
	case v1.AttemptRunning:
		return []Statement{{Topic: FrameworkRunning, Subject: f, Args: began}}
	case v1.AttemptCompleted:
		return []Statement{{Topic: AttemptOver, Subject: f, Args: over}}
	case v1.Completed:
		return completed(k)
	}
	over.Ending = true
	return []Statement{{Topic: AttemptOver, Subject: f, Args: over}}
}

// beforeAttempt is about a Framework that has no attempt yet, or waits for the next one.
func beforeAttempt(k *known) []Statement {
	f, next := k.framework(), Args{Attempt: &k.status.AttemptStatus.ID}
	switch spec := &k.Framework.Spec; {
	case k.Framework.DeletionTimestamp != nil:
		return []Statement{{Topic: AttemptNotBegun, Subject: f, Args: next}}
	case spec.ExecutionType == v1.ExecutionStop:
		return []Statement{{Topic: StoppedBeforeAttempt, Subject: f, Args: next}}
	case spec.ExecutionType == v1.ExecutionCreate:
		begin := Step{Command: "kubectl framework start {framework} -n {namespace}", Why: "lets it begin"}
		return []Statement{{Topic: Held, Subject: f, next: k.steps(names{}, begin)}}
	case lifecycle.Suspended(spec):
		return []Statement{{Topic: SuspendedBeforeAttempt, Subject: f, Args: next, next: k.steps(names{}, resume)}}
	}
	return []Statement{{Topic: AboutToBegin, Subject: f, Args: next}}
}

// tasksWanted is how many Tasks the spec asks for.
func tasksWanted(k *known) (n int) {
	for i := range k.Framework.Spec.TaskRoles {
		n += int(k.Framework.Spec.TaskRoles[i].TaskNumber)
	}
	return n
}

// Outcomes of a Framework.
const (
	outcomeSucceeded = "Succeeded"
	outcomeStopped   = "Stopped"
	outcomeFailed    = "Failed"
	outcomeEnded     = "Ended" // an object of the original controller may lack the outcome
)

func completed(k *known) []Statement {
	args := Args{Outcome: outcomeEnded, Attempt: &k.status.AttemptStatus.ID, Since: timeOf(k.status.CompletionTime, &k.status.TransitionTime)}
	if s := k.status.AttemptStatus.CompletionStatus; s != nil {
		switch {
		case s.Type.Name == v1.CompletionSucceeded:
			args.Outcome = outcomeSucceeded
		case k.Framework.Spec.ExecutionType == v1.ExecutionStop && s.Code < 0 && s.Trigger == nil:
			args.Outcome = outcomeStopped
		default:
			args.Outcome = outcomeFailed
		}
	}
	return []Statement{{Topic: FrameworkEnded, Subject: k.framework(), Args: args}}
}

// timeOf returns a time of the status, or another one if it has none.
func timeOf(at, otherwise *metav1.Time) *metav1.Time {
	if at == nil {
		return otherwise
	}
	return at
}

// suspension is about a Framework whose attempt ends, or has ended, because it was suspended.
func suspension(k *known) []Statement {
	f := k.Framework
	switch {
	case !lifecycle.Suspended(&f.Spec) || f.Spec.ExecutionType == v1.ExecutionStop || f.DeletionTimestamp != nil,
		k.status.State == v1.Completed || k.status.State == v1.AttemptCreationPending,
		k.status.AttemptStatus.CompletionStatus != nil && !prospectOf(k, wholeRetry(k)).follows():
		return nil
	}
	return []Statement{{Topic: Suspended, Subject: k.framework(), next: k.steps(names{}, resume)}}
}

// tasksOf summarizes the states of the Framework's Tasks. For an attempt that has not begun there is nothing to state.
func tasksOf(k *known) []Statement {
	counts, n := k.counts(), 0
	for _, some := range counts {
		n += some
	}
	switch {
	case n == 0:
		return nil
	case k.status.State == v1.AttemptCreationPending:
		return []Statement{{Topic: TasksWanted, Subject: k.framework(), Args: Args{Tasks: &n}}}
	}
	all := []Statement{{Topic: TaskStates, Subject: k.framework(), Args: Args{Attempt: &k.status.AttemptStatus.ID, Counts: counts}}}
	if counts[InTurn] == 0 {
		return all
	}
	roles := k.status.AttemptStatus.TaskRoleStatuses
	for i := range roles {
		if countsOf(roles[i].TaskStatuses)[InTurn] > 0 {
			all = append(all, parallelism(k, roles[i].Name)...)
		}
	}
	return all
}

// parallelism states how many Tasks of a role may have a Pod at a time; nothing if all may.
func parallelism(k *known, role string) []Statement {
	spec := k.roleSpec(role)
	if spec == nil || spec.Parallelism == nil || *spec.Parallelism >= spec.TaskNumber {
		return nil
	}
	return []Statement{{Topic: RoleParallelism, Subject: roleSubject(role), Args: Args{Limit: spec.Parallelism}}}
}

// deletion is about a Framework that is being deleted.
func deletion(k *known) []Statement {
	at := k.Framework.DeletionTimestamp
	if at == nil {
		return nil
	}
	return []Statement{{Topic: BeingDeleted, Subject: k.framework(), Args: Args{Since: at}, next: k.steps(names{}, seeTasks)}}
}

// schedulingChange reports that an edit of spec.scheduling or spec.plugins was too late for the attempt, and how to begin the
// next one.
func schedulingChange(k *known) []Statement {
	if !schedulingChangedLate(k) {
		return nil
	}
	end := Step{Command: `kubectl patch fw {framework} -n {namespace} --type=merge -p '{"spec":{"suspend":true}}'`, Why: "ends this attempt, without a retry"}
	return []Statement{{Topic: SchedulingChangedLate, Subject: k.framework(), next: k.steps(names{}, end, resume)}}
}

// schedulingChangedLate reports whether the spec asks for a different scheduling than the current attempt has, and that attempt
// goes on and has Pods. An attempt without Pods asks anew.
func schedulingChangedLate(k *known) bool {
	if k.status.AttemptStatus.CompletionStatus != nil || !lifecycle.SchedulingChanged(&k.Framework.Spec, k.status.AttemptStatus.SchedulerHints) {
		return false
	}
	for _, task := range k.tasks {
		if task.AttemptStatus.PodUID != nil {
			return true
		}
	}
	return false
}

// roleTasks summarizes the states of a role's Tasks.
func roleTasks(k *known, role string) []Statement {
	about, tasks := roleSubject(role), k.roleStatus(role).TaskStatuses
	n := len(tasks)
	all := []Statement{{Topic: RoleTasks, Subject: about, Args: Args{Tasks: &n, Attempt: &k.status.AttemptStatus.ID}}}
	switch {
	case k.status.State == v1.AttemptCreationPending: // its Tasks do nothing yet, and the reason is one of the whole Framework
		all = append(all, beforeAttempt(k)...)
	case n > 0:
		all = append(all, Statement{Topic: TaskStates, Subject: about, Args: Args{Counts: countsOf(tasks)}})
	}
	return append(all, parallelism(k, role)...)
}

// rolePolicy states when the Tasks of a role end the attempt.
func rolePolicy(k *known, role string) []Statement {
	about, spec := roleSubject(role), k.roleSpec(role)
	if spec == nil {
		return []Statement{{Topic: RoleRemoved, Subject: about}}
	}
	var args Args
	if n := spec.FrameworkAttemptCompletionPolicy.MinFailedTaskCount; n > 0 {
		args.Failed = &n
	}
	if n := spec.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount; n > 0 {
		args.Succeeded = &n
	}
	return []Statement{{Topic: CompletionPolicy, Subject: about, Args: args}}
}

func taskHeadline(k *known, role string, task *v1.TaskStatus) []Statement {
	about, a := taskSubject(role, task.Index), &task.AttemptStatus
	n := taskNames(k, role, task)
	args := placed(a)
	if k.status.State == v1.AttemptCreationPending {
		return beforeAttempt(k)
	}
	switch standing := StandingOf(task); standing {
	case Running:
		if unjudged(k, task) {
			args.Pod = a.PodName
			return []Statement{{Topic: FailureUnjudged, Subject: about, Args: args, next: k.steps(n, seeLogs, describePod)}}
		}
		args.Pod, args.Since = a.PodName, timeOf(a.RunTime, &task.TransitionTime)
		return []Statement{{Topic: TaskRunning, Subject: about, Args: args, next: k.steps(n, seeLogs, describePod)}}
	case Starting:
		return starting(k, about, a)
	case InTurn:
		return awaitsTurn(k, about, a)
	case Retrying:
		r, ok := taskRetry(k, role, task)
		return []Statement{{Topic: TaskAttemptOver, Subject: about, Args: Args{Attempt: &a.ID, Follows: ok && prospectOf(k, r).follows()}}}
	case Ending:
		return []Statement{{Topic: TaskAttemptOver, Subject: about, Args: Args{Attempt: &a.ID, Pod: a.PodName, Ending: true}, next: k.steps(n, describePod)}}
	case Removing:
		if k.roleSpec(role) == nil {
			return []Statement{{Topic: TaskRemovingWithRole, Subject: about}}
		}
		return []Statement{{Topic: TaskRemoving, Subject: about}}
	default:
		args.Outcome, args.Since = string(standing), timeOf(task.CompletionTime, &task.TransitionTime)
		return []Statement{{Topic: TaskEnded, Subject: about, Args: args}}
	}
}

// starting is about a Task whose Pod does not run yet, if it exists at all.
func starting(k *known, about Subject, a *v1.TaskAttemptStatus) []Statement {
	args := placed(a)
	args.Since = &a.StartTime
	if k.pod(a.PodName) != nil {
		args.Pod = a.PodName
		return []Statement{{Topic: TaskStarting, Subject: about, Args: args, next: k.steps(k.namesOf(a.PodName), describePod)}}
	}
	all := []Statement{{Topic: TaskWithoutPod, Subject: about, Args: Args{Attempt: &a.ID, Since: &a.StartTime}}}
	if r := a.AwaitedRestart; r != nil {
		all = append(all, Statement{Topic: AwaitsRestart, Subject: about, Args: Args{Task: TaskName(r.TaskRoleName, r.TaskIndex)}})
	}
	return all
}

// awaitsTurn is about a Task without a Pod whose role already has as many Pods as it may. If the spec no longer has a parallelism, the
// controller has yet to see that.
func awaitsTurn(k *known, about Subject, a *v1.TaskAttemptStatus) []Statement {
	spec := k.roleSpec(about.Role)
	if spec == nil || spec.Parallelism == nil {
		return starting(k, about, a)
	}
	return []Statement{{Topic: TaskAwaitsTurn, Subject: about, Args: Args{Attempt: &a.ID, Limit: spec.Parallelism}}}
}

// placed returns the attempt and the node of its Pod, as far as known.
func placed(a *v1.TaskAttemptStatus) Args {
	args := Args{Attempt: &a.ID}
	if a.PodNodeName != nil {
		args.Node = *a.PodNodeName
	}
	if a.PodIP != nil {
		args.IP = *a.PodIP
	}
	return args
}

// unjudged reports whether a Task counts as running although its Pod has failed, as a plugin has yet to judge the failure.
func unjudged(k *known, task *v1.TaskStatus) bool {
	pod := k.pod(task.AttemptStatus.PodName)
	return StandingOf(task) == Running && pod != nil && pod.Status.Phase == corev1.PodFailed
}

func taskRetries(role string, task *v1.TaskStatus) []Statement {
	n := task.RetryPolicyStatus
	if n.TotalRetriedCount <= 0 {
		return nil
	}
	return []Statement{{Topic: TaskRetries, Subject: taskSubject(role, task.Index), Args: Args{Retries: &n.TotalRetriedCount, Counted: &n.AccountableRetriedCount}}}
}

// startDeadline states when an attempt fails whose Pod does not start.
func startDeadline(k *known, role string, task *v1.TaskStatus) []Statement {
	pending, ok := deadline.PendingOf(&k.Framework.Spec, role, task)
	if !ok || StandingOf(task) != Starting || pending.Field == "" {
		return nil
	}
	return []Statement{{Topic: StartDeadline, Subject: taskSubject(role, task.Index), Args: Args{Until: at(pending.Deadline), Field: pending.Field}}}
}

// activeDeadline states when a Framework is stopped that has used nine tenths of its activeDeadlineSeconds.
func activeDeadline(k *known) []Statement {
	limit := k.Framework.Spec.ActiveDeadlineSeconds
	if !deadline.Limited(limit) || k.status.State != v1.AttemptRunning {
		return nil
	}
	end, _ := deadline.ActiveEnd(k.status.ActiveTime, *limit, k.Now)
	if !k.isNear(end, *limit) {
		return nil
	}
	longer := Step{Command: `kubectl patch fw {framework} -n {namespace} --type=merge -p '{"spec":{"activeDeadlineSeconds":null}}'`, Why: "lets it run without a limit"}
	return []Statement{{Topic: ActiveDeadline, Subject: k.framework(), Args: Args{Until: at(end)}, next: k.steps(names{}, longer)}}
}

// taskDeadline states when the attempt of a Task ends that has used nine tenths of its activeDeadlineSeconds.
func taskDeadline(k *known, role string, task *v1.TaskStatus) []Statement {
	spec := k.roleSpec(role)
	end, ok := deadline.TaskEnd(spec, task)
	if !ok || !k.isNear(end, *spec.Task.ActiveDeadlineSeconds) {
		return nil
	}
	return []Statement{{Topic: TaskDeadline, Subject: taskSubject(role, task.Index), Args: Args{Until: at(end)}}}
}

// isNear reports whether at most a tenth of the given seconds is left until that time. A zero time is not near.
func (k *known) isNear(end time.Time, limitSec int64) bool {
	return !end.IsZero() && end.Sub(k.Now) <= time.Duration(limitSec)*time.Second/10
}

// at converts a time for arguments.
func at(t time.Time) *metav1.Time { return &metav1.Time{Time: t} }
