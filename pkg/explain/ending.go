package explain

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/taskcount"
)

// attemptEnded explains how the current attempt of the Framework has ended, by which Task, and what follows.
func attemptEnded(k *known) []Statement {
	s := k.status.AttemptStatus.CompletionStatus
	if s == nil || k.Framework.DeletionTimestamp != nil && completion.IsPredefined(s.CompletionStatus, completion.CodeConfigMapExternalDeleted) {
		return nil // it is the deletion of the Framework that has ended it
	}
	var n names
	var task *v1.TaskStatus // the Task that decided, and whose outcome the attempt has
	if by := s.Trigger; by != nil {
		n = k.namesOf(v1.PodName(k.Framework.Name, by.TaskRoleName, by.TaskIndex))
		if of := k.taskStatus(by.TaskRoleName, by.TaskIndex); of != nil && inherited(s, of) {
			task = of
		}
	}
	all := slices.Concat(codeOf(k.framework(), nil, s.CompletionStatus), trigger(k, s, task != nil))
	var pod *v1.PodCompletionStatus
	if task != nil {
		own := task.AttemptStatus.CompletionStatus
		all = slices.Concat(all, failureOf(s.Trigger.TaskRoleName, task), taskRetryOf(k, s.Trigger.TaskRoleName, task))
		pod = own.Pod
	} else {
		all = append(all, remedy(k.framework(), s.CompletionStatus)...)
	}
	gone, next := afterCode(k, k.framework(), n, s.CompletionStatus, pod)
	if s.Trigger != nil {
		next = append(next, k.steps(n, explainTask)...)
	}
	return advising(slices.Concat(all, decider(k, s), retryOf(k, wholeRetry(k)), changeOfWhole(k, s, task), gone), next...)
}

// inherited reports whether an attempt of the Framework has ended as that Task did.
func inherited(s *v1.FrameworkAttemptCompletionStatus, task *v1.TaskStatus) bool {
	own := task.AttemptStatus.CompletionStatus
	return own != nil && own.Code == s.Code && own.Phrase == s.Phrase
}

// taskEnded explains how the current attempt of a Task has ended, and what follows.
func taskEnded(k *known, role string, task *v1.TaskStatus) []Statement {
	s := task.AttemptStatus.CompletionStatus
	if s == nil {
		return nil
	}
	about := taskSubject(role, task.Index)
	all := slices.Concat(codeOf(about, &task.AttemptStatus.ID, s.CompletionStatus), failureOf(role, task), podDeletion(k, role, task),
		taskRetryOf(k, role, task), restart(k, role, task))
	if StandingOf(task) == Failed {
		all = append(all, change(about, s.CompletionStatus, policiesOf(k, role, task)...)...)
	}
	gone, next := afterCode(k, about, taskNames(k, role, task), s.CompletionStatus, s.Pod)
	return advising(append(all, gone...), next...)
}

// mostTroubled is the maximum number of Tasks that are explained in detail.
const mostTroubled = 3

// troubledTasks explains why Tasks have failed, or wait for a retry, while the Framework continues.
func troubledTasks(k *known) (all []Statement) {
	if k.status.AttemptStatus.CompletionStatus != nil {
		return nil
	}
	told, more := 0, 0
	for role, task := range k.tasks {
		switch {
		case !inTrouble(task):
		case told == mostTroubled:
			more++
		default:
			told++
			all = append(all, trouble(k, role, task)...)
		}
	}
	if more > 0 {
		all = append(all, Statement{Topic: MoreTasks, Subject: k.framework(), Args: Args{Tasks: &more}})
	}
	return all
}

// firstTroubled explains in detail the first Task of a role that has failed or is retried.
func firstTroubled(k *known, role string) []Statement {
	for of, task := range k.tasks {
		if of == role && inTrouble(task) {
			return trouble(k, role, task)
		}
	}
	return nil
}

// inTrouble reports whether people ask about the Task.
func inTrouble(task *v1.TaskStatus) bool {
	switch StandingOf(task) {
	case Retrying, Failed:
		return true
	case Ending:
		return outcomeOf(task.AttemptStatus.CompletionStatus) == Failed
	}
	return false
}

func trouble(k *known, role string, task *v1.TaskStatus) []Statement {
	s := task.AttemptStatus.CompletionStatus
	if s == nil {
		return nil
	}
	about := taskSubject(role, task.Index)
	all := slices.Concat(codeOf(about, &task.AttemptStatus.ID, s.CompletionStatus), failureOf(role, task), taskRetryOf(k, role, task))
	return advising(all, k.steps(taskNames(k, role, task), explainTask)...)
}

// codeOf states the code with which an attempt has ended, and its meaning.
func codeOf(about Subject, attempt *int32, s v1.CompletionStatus) []Statement {
	args := Args{Attempt: attempt, Code: &s.Code, Phrase: s.Phrase, Type: string(s.Type.Name)}
	if s.Type.Name == v1.CompletionSucceeded && s.Code == completion.CodeSucceeded {
		return []Statement{{Topic: AttemptSucceeded, Subject: about, Args: args}}
	}
	if e, _ := completion.EntryOf(s); e.Detailed {
		args.Words = completion.Words(s.Diagnostics)
	}
	return []Statement{{Topic: AttemptEnded, Subject: about, Args: args}}
}

// failureOf explains the part of the node and the containers of a Pod in the end of its Task's attempt, and who has judged it.
func failureOf(role string, task *v1.TaskStatus) []Statement {
	s := task.AttemptStatus.CompletionStatus
	about := taskSubject(role, task.Index)
	return slices.Concat(containersEnded(role, task.Index, s), judge(about, s.CompletionStatus), remedy(about, s.CompletionStatus), memoryChanges(role, task))
}

// remedy quotes the remedy given by the rule or the plugin that judged a failure.
func remedy(about Subject, s v1.CompletionStatus) []Statement {
	if s.Remedy == "" {
		return nil
	}
	args := Args{Words: s.Remedy}
	if s.Source != nil {
		args.Plugin = s.Source.Plugin
	}
	return []Statement{{Topic: Remedy, Subject: about, Args: args}}
}

// containersEnded describes the failed containers of a Pod. Their reasons need no words if the code has explained them.
func containersEnded(role string, index int32, s *v1.TaskAttemptCompletionStatus) (all []Statement) {
	if s.Pod == nil {
		return nil
	}
	if s.Pod.Reason != "" || s.Pod.Message != "" {
		all = append(all, Statement{Topic: NodeSays, Subject: taskSubject(role, index), Args: Args{Reason: s.Pod.Reason, Words: s.Pod.Message}})
	}
	for i := range s.Pod.Containers {
		c := &s.Pod.Containers[i]
		if c.Code == 0 && c.Signal == 0 {
			continue
		}
		about := containerSubject(role, index, c.Name)
		all = append(all, Statement{Topic: ContainerEnded, Subject: about, Args: Args{Code: &c.Code, Signal: c.Signal, Reason: c.Reason, Words: shortened(c.Message)}})
		if containerWords[c.Reason] != "" && ruleWords[s.Phrase].Means == "" {
			all = append(all, Statement{Topic: ContainerReason, Subject: about, Args: Args{Reason: c.Reason}, Continues: true})
		}
	}
	return all
}

// longestWords bounds the quote of a container's last words. Their end matters most.
const longestWords = 400

func shortened(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= longestWords {
		return text
	}
	return "..." + strings.ToValidUTF8(text[len(text)-longestWords:], "")
}

// judge names the judge of a failure, unless it was the controller itself.
func judge(about Subject, s v1.CompletionStatus) []Statement {
	by := s.Source
	switch {
	case by == nil || s.Type.Name == v1.CompletionSucceeded && s.Code == 0:
		return nil
	case by.Plugin == v1.SourceKubernetes:
		if disruptionWords[by.Rule] == "" {
			return nil
		}
		return []Statement{{Topic: Disrupted, Subject: about, Args: Args{Rule: by.Rule}}}
	}
	return []Statement{{Topic: JudgedByPlugin, Subject: about, Args: Args{Plugin: by.Plugin, Version: by.Version, Rule: by.Rule}}}
}

// trigger names the Task that has decided the attempt, and the number in the spec. The remaining retries are added unless they are
// explained at length.
func trigger(k *known, s *v1.FrameworkAttemptCompletionStatus, tellsRetries bool) []Statement {
	if s.Trigger == nil || s.Trigger.TaskRoleName == "" {
		return nil
	}
	all := []Statement{triggered(k, s)}
	if !tellsRetries && len(s.Retries) > 0 {
		all = append(all, Statement{Topic: RetriesLeft, Subject: all[0].Subject, Args: Args{Verdicts: s.Retries}, Continues: true})
	}
	return all
}

func triggered(k *known, s *v1.FrameworkAttemptCompletionStatus) Statement {
	by := s.Trigger
	task := taskSubject(by.TaskRoleName, by.TaskIndex)
	var policy v1.CompletionPolicySpec // without thresholds if the spec no longer has the role
	if spec := k.roleSpec(by.TaskRoleName); spec != nil {
		policy = spec.FrameworkAttemptCompletionPolicy
	}
	switch rule := ruleOf(s); {
	case rule == taskcount.MinFailed && reachedBy(k, by, Failed, policy.MinFailedTaskCount):
		return Statement{Topic: EndedByFailures, Subject: task, Args: Args{Failed: &policy.MinFailedTaskCount}}
	case rule == taskcount.MinSucceeded && reachedBy(k, by, Succeeded, policy.MinSucceededTaskCount):
		return Statement{Topic: EndedBySuccesses, Subject: task, Args: Args{Succeeded: &policy.MinSucceededTaskCount}}
	case rule == taskcount.AllCompleted:
		var args Args
		if n := int32(k.counts()[Failed]); n > 0 {
			args.Failed = &n
		}
		return Statement{Topic: EndedByLast, Subject: task, Args: args}
	}
	return Statement{Topic: EndedByTask, Subject: task, Args: Args{Words: by.Message}}
}

// reachedBy reports whether a threshold of the spec was reached when the Task that ended the attempt completed, and not before. Any
// other threshold has been changed since. Times are in whole seconds, so of several Tasks in one second, each may have reached it.
func reachedBy(k *known, by *v1.CompletionTrigger, standing Standing, threshold int32) bool {
	role := k.roleStatus(by.TaskRoleName)
	if role == nil || threshold < 1 {
		return false
	}
	var end *metav1.Time // nil if an older controller has not noted it: then all Tasks count
	if task := k.taskStatus(by.TaskRoleName, by.TaskIndex); task != nil {
		end = task.CompletionTime
	}
	before, until := 0, 0
	for i := range role.TaskStatuses {
		task := &role.TaskStatuses[i]
		if StandingOf(task) != standing {
			continue
		}
		if task.CompletionTime.Before(end) {
			before++
		}
		if !end.Before(task.CompletionTime) {
			until++
		}
	}
	return before < int(threshold) && int(threshold) <= until
}

// ruleOf returns by which number of Tasks an attempt has ended; empty if by none, or if an older controller has not noted it.
func ruleOf(s *v1.FrameworkAttemptCompletionStatus) taskcount.Rule {
	for _, rule := range []taskcount.Rule{taskcount.MinFailed, taskcount.MinSucceeded, taskcount.AllCompleted} {
		names := []string{string(rule), rule.Of(s.Trigger.TaskRoleName)}
		if s.Trigger.Rule == string(rule) || s.Source != nil && slices.Contains(names, s.Source.Rule) {
			return rule
		}
	}
	return ""
}

// decider names the plugin that decided the end of the Framework's attempt. For a success by the numbers of the spec it does not
// matter.
func decider(k *known, s *v1.FrameworkAttemptCompletionStatus) []Statement {
	by := s.Source
	if by == nil || s.Type.Name != v1.CompletionFailed && (s.Trigger == nil || ruleOf(s) != "") {
		return nil
	}
	return []Statement{{Topic: DecidedByPlugin, Subject: k.framework(), Args: Args{Plugin: by.Plugin, Version: by.Version, Rule: by.Rule}}}
}

// afterCode returns the commands for a code. The output of a Pod is gone with the Pod, which is then stated.
func afterCode(k *known, about Subject, n names, ended v1.CompletionStatus, pod *v1.PodCompletionStatus) (gone []Statement, next []Step) {
	for _, step := range CodeWord(ended).Next {
		if step != seeLogs || k.pod(n.pod) != nil {
			next = append(next, step)
			continue
		}
		gone = []Statement{{Topic: LogsGone, Subject: about}}
		if pod != nil && !hasLastWords(pod) {
			gone = append(gone, Statement{Topic: LastWordsWanted, Subject: about, Continues: true})
		}
		if k.status.State != v1.Completed {
			next = append(next, followLogs)
		}
	}
	return gone, k.steps(n, next...)
}

func hasLastWords(pod *v1.PodCompletionStatus) bool {
	return slices.ContainsFunc(pod.Containers, func(c v1.ContainerCompletionStatus) bool { return c.Message != "" })
}

// changeOfWhole explains how to keep a permanently failed Framework from failing like that again. The Task is the one whose
// outcome the Framework has; nil if there is none.
func changeOfWhole(k *known, s *v1.FrameworkAttemptCompletionStatus, task *v1.TaskStatus) []Statement {
	if k.status.State != v1.Completed || s.Type.Name != v1.CompletionFailed || CodeWord(s.CompletionStatus).Change == "" {
		return nil
	}
	var policies []policy
	if task != nil {
		policies = policiesOf(k, s.Trigger.TaskRoleName, task)
	}
	policies = append(policies, policy{
		RetryPolicy: RetryPolicy{Scope: scopeFramework}, spec: &k.Framework.Spec.RetryPolicy, counted: k.status.RetryPolicyStatus.AccountableRetriedCount,
	})
	return append(change(k.framework(), s.CompletionStatus, policies...),
		Statement{Topic: EndedForGood, Subject: k.framework(), next: k.steps(names{}, seeSpec)})
}

// Scopes of retry policies.
const (
	scopeFramework = "Framework"
	scopeTasks     = "Tasks"
	scopeRole      = "Role"
)

// policy is a retry policy that might have granted a retry.
type policy struct {
	RetryPolicy
	spec    *v1.RetryPolicySpec
	counted int32            // retries that have counted
	role    *v1.TaskRoleSpec // the role, if it has a retry policy as a whole, too; nil otherwise
}

// windowDecides reports whether the window, not maxRetryCount, ended the retries.
func (p policy) windowDecides() bool {
	return p.spec.Window != nil && (p.spec.MaxRetryCount < 0 || p.counted < p.spec.MaxRetryCount)
}

// policiesOf returns the policy of a role's Tasks; none if the role is no longer in the spec.
func policiesOf(k *known, role string, task *v1.TaskStatus) []policy {
	spec := k.roleSpec(role)
	if spec == nil {
		return nil
	}
	tasks := policy{RetryPolicy: RetryPolicy{scopeTasks, role}, spec: &spec.Task.RetryPolicy, counted: task.RetryPolicyStatus.AccountableRetriedCount}
	if spec.RetryPolicy != nil {
		tasks.role = spec
	}
	return []policy{tasks}
}

// change states the remedy for a failure, and the retry policy that would have granted a retry.
func change(about Subject, ended v1.CompletionStatus, policies ...policy) []Statement {
	if CodeWord(ended).Change == "" {
		return nil
	}
	var all []Statement
	if ended.Remedy == "" || !CodeWord(ended).Vague {
		all = append(all, Statement{Topic: WhatToChange, Subject: about, Args: Args{Code: &ended.Code, Phrase: ended.Phrase, Type: string(ended.Type.Name)}})
	}
	has := func(a v1.CompletionTypeAttribute) bool { return slices.Contains(ended.Type.Attributes, a) }
	if has(v1.AttributePermanent) {
		return all
	}
	limits, policies := ownLimits(ended, policies)
	for _, p := range policies {
		if has(v1.AttributeTransient) {
			continue
		}
		limits = append(limits, Limit{RetryPolicy: p.RetryPolicy, Field: fieldMaxRetryCount, Value: p.spec.MaxRetryCount})
		limits = append(limits, p.limitOfRole()...)
	}
	if len(limits) > 0 {
		all = append(all, Statement{Topic: LimitsToRaise, Subject: about, Args: Args{Limits: limits}, Continues: true})
	}
	if len(policies) > 0 && has(v1.AttributeTransient) {
		var named []RetryPolicy
		for _, p := range policies {
			named = append(named, p.RetryPolicy)
		}
		all = append(all, Statement{Topic: FancyPolicyWanted, Subject: about, Args: Args{Policies: named}, Continues: true})
	}
	return all
}

// Fields of retry policies.
const (
	fieldMaxRetryCount = "maxRetryCount"
	fieldBudgets       = "budgets"
	fieldWindow        = "window"
)

// limitOfRole returns the limit in the retry policy of the role as a whole; none if there is no such policy.
func (p policy) limitOfRole() []Limit {
	if p.role == nil {
		return nil
	}
	return []Limit{{RetryPolicy: RetryPolicy{scopeRole, p.role.Name}, Field: fieldMaxRetryCount, Value: p.role.RetryPolicy.MaxRetryCount}}
}

// ownLimits returns the limits of budgets and windows that apply to this end, and the policies without one.
func ownLimits(ended v1.CompletionStatus, policies []policy) (limits []Limit, others []policy) {
	for _, p := range policies {
		own, decides := p.ownLimit(ended)
		if !decides {
			others = append(others, p)
			continue
		}
		limits = append(append(limits, own), p.limitOfRole()...)
	}
	return limits, others
}

// ownLimit returns the limit of the policy's budget or window that applies to this end; decides is false if there is none.
func (p policy) ownLimit(ended v1.CompletionStatus) (limit Limit, decides bool) {
	if budget := retryrules.BudgetOf(*p.spec, ended); budget != nil {
		return Limit{p.RetryPolicy, fieldBudgets, retryrules.BudgetCause(budget), budget.MaxRetryCount}, true
	}
	if p.windowDecides() {
		return Limit{p.RetryPolicy, fieldWindow, "", p.spec.Window.Failures}, true
	}
	return Limit{}, false
}
