package explain

// Topic is what kind of statement it is. It is stable: programs may go by it.
type Topic string

// The topics, in the order of answers. See topics for the sentences.
const (
	// The Framework.
	ManagedElsewhere       Topic = "ManagedElsewhere"
	LeftAlone              Topic = "LeftAlone"
	Invalid                Topic = "Invalid"
	InvalidEnds            Topic = "InvalidEnds"
	NotSeen                Topic = "NotSeen"
	ControllerMayBeDown    Topic = "ControllerMayBeDown"
	NotBegun               Topic = "NotBegun"
	AttemptNotBegun        Topic = "AttemptNotBegun"
	StoppedBeforeAttempt   Topic = "StoppedBeforeAttempt"
	Held                   Topic = "Held"
	SuspendedBeforeAttempt Topic = "SuspendedBeforeAttempt"
	AboutToBegin           Topic = "AboutToBegin"
	FrameworkStarting      Topic = "FrameworkStarting"
	HasNoTasks             Topic = "HasNoTasks"
	FrameworkRunning       Topic = "FrameworkRunning"
	AttemptOver            Topic = "AttemptOver"
	FrameworkEnded         Topic = "FrameworkEnded"
	FrameworkDeleted       Topic = "FrameworkDeleted"
	Suspended              Topic = "Suspended"
	TasksWanted            Topic = "TasksWanted"
	TaskStates             Topic = "TaskStates"
	SchedulingChangedLate  Topic = "SchedulingChangedLate"
	BeingDeleted           Topic = "BeingDeleted"
	ActiveDeadline         Topic = "ActiveDeadline"
	// A role.
	RoleWithoutTasks  Topic = "RoleWithoutTasks"
	RoleTasks         Topic = "RoleTasks"
	RoleRemoved       Topic = "RoleRemoved"
	RoleParallelism   Topic = "RoleParallelism"
	CompletionPolicy  Topic = "CompletionPolicy"
	StartOrderUnknown Topic = "StartOrderUnknown"
	RoleHasNoPods     Topic = "RoleHasNoPods"
	RoleHasNotStarted Topic = "RoleHasNotStarted"
	// A Task.
	NoSuchTask           Topic = "NoSuchTask"
	FailureUnjudged      Topic = "FailureUnjudged"
	TaskRunning          Topic = "TaskRunning"
	TaskStarting         Topic = "TaskStarting"
	TaskWithoutPod       Topic = "TaskWithoutPod"
	TaskAwaitsTurn       Topic = "TaskAwaitsTurn"
	TaskItem             Topic = "TaskItem"
	TaskItemUnknown      Topic = "TaskItemUnknown"
	AwaitsRestart        Topic = "AwaitsRestart"
	TaskAttemptOver      Topic = "TaskAttemptOver"
	TaskRemoving         Topic = "TaskRemoving"
	TaskRemovingWithRole Topic = "TaskRemovingWithRole"
	TaskEnded            Topic = "TaskEnded"
	TaskRetries          Topic = "TaskRetries"
	TasksRetried         Topic = "TasksRetried"
	TaskMemory           Topic = "TaskMemory"
	MoreTasks            Topic = "MoreTasks"
	// The current wait.
	Waiting         Topic = "Waiting"
	WaitingInDetail Topic = "WaitingInDetail"
	LatestWords     Topic = "LatestWords"
	ClaimWords      Topic = "ClaimWords"
	WaitingEnds     Topic = "WaitingEnds"
	PodUnscheduled  Topic = "PodUnscheduled"
	ContainerWaits  Topic = "ContainerWaits"
	ContainersLeft  Topic = "ContainersLeft"
	StartDeadline   Topic = "StartDeadline"
	TaskDeadline    Topic = "TaskDeadline"
	// How an attempt ended.
	AttemptSucceeded  Topic = "AttemptSucceeded"
	AttemptEnded      Topic = "AttemptEnded"
	CodeMeans         Topic = "CodeMeans"
	NodeSays          Topic = "NodeSays"
	ContainerEnded    Topic = "ContainerEnded"
	ContainerReason   Topic = "ContainerReason"
	Disrupted         Topic = "Disrupted"
	JudgedByPlugin    Topic = "JudgedByPlugin"
	Remedy            Topic = "Remedy"
	MemoryRaised      Topic = "MemoryRaised"
	MemoryAtMaximum   Topic = "MemoryAtMaximum"
	MemoryNoLimit     Topic = "MemoryNoLimit"
	EndedByFailures   Topic = "EndedByFailures"
	EndedBySuccesses  Topic = "EndedBySuccesses"
	EndedByLast       Topic = "EndedByLast"
	EndedByTask       Topic = "EndedByTask"
	RetriesLeft       Topic = "RetriesLeft"
	DecidedByPlugin   Topic = "DecidedByPlugin"
	WhatToChange      Topic = "WhatToChange"
	LimitsToRaise     Topic = "LimitsToRaise"
	FancyPolicyWanted Topic = "FancyPolicyWanted"
	EndedForGood      Topic = "EndedForGood"
	LogsGone          Topic = "LogsGone"
	LastWordsWanted   Topic = "LastWordsWanted"
	FailedFirst       Topic = "FailedFirst"
	DisruptedFirst    Topic = "DisruptedFirst"
	// Whether another attempt follows.
	Retried              Topic = "Retried"
	RetriedAtOnce        Topic = "RetriedAtOnce"
	RetriedWithOthers    Topic = "RetriedWithOthers"
	RestartsTogether     Topic = "RestartsTogether"
	RetryScheduled       Topic = "RetryScheduled"
	WasRetried           Topic = "WasRetried"
	RetryCostNothing     Topic = "RetryCostNothing"
	RoleRestarts         Topic = "RoleRestarts"
	RoleRestartScheduled Topic = "RoleRestartScheduled"
	RoleWasRestarted     Topic = "RoleWasRestarted"
	RoleNotRestarted     Topic = "RoleNotRestarted"
	NotRetried           Topic = "NotRetried"
	NotRetriedDeleted    Topic = "NotRetriedDeleted"
	NotRetriedStopped    Topic = "NotRetriedStopped"
	NotRetriedSuspended  Topic = "NotRetriedSuspended"
	GivenUp              Topic = "GivenUp"
	NextAttempt          Topic = "NextAttempt"
	// Earlier events.
	EarlierRetry          Topic = "EarlierRetry"
	EarlierAttempt        Topic = "EarlierAttempt"
	EarlierForgotten      Topic = "EarlierForgotten"
	LastRetry             Topic = "LastRetry"
	PodDeleted            Topic = "PodDeleted"
	PodDeletedWithAttempt Topic = "PodDeletedWithAttempt"
	PodDeletedEarlier     Topic = "PodDeletedEarlier"
	PodsDeleted           Topic = "PodsDeleted"
	// Further facts.
	NodeAvoided Topic = "NodeAvoided"
	MoreNodes   Topic = "MoreNodes"
	Warning     Topic = "Warning"
	Link        Topic = "Link"
	LinkIgnored Topic = "LinkIgnored"
)

// topicRow is what there is to know about a topic.
type topicRow struct {
	// args are the arguments that a statement may have, by their names in JSON, with commas between them.
	args string
	// sentence is a template; see view for what it has.
	sentence string
}

// repeatable are topics of which an answer may have several statements with one subject.
var repeatable = []Topic{EarlierRetry, EarlierAttempt, PodDeletedEarlier, NodeAvoided}

// quoting are topics of statements that say nothing but words of others, and are dropped if these were quoted before.
var quoting = []Topic{LatestWords, ClaimWords, PodUnscheduled, ContainerWaits}

var topics = map[Topic]topicRow{
	ManagedElsewhere:       {"controller", `Framework {{.Name}} is run by another controller, {{.Controller}}, as its spec.managedBy says, so this one does nothing with it.`},
	LeftAlone:              {"since", `The controller has not processed Framework {{.Name}} since {{.At}}.`},
	Invalid:                {"reason,words", `{{.InvalidMeans}}{{with .Quoted}} Details: {{.}}{{end}}`},
	InvalidEnds:            {"reason", `{{.InvalidEnds}}`},
	NotSeen:                {"since", `Framework {{.Name}} was created {{.Ago}} ago, and no controller has looked at it yet.`},
	ControllerMayBeDown:    {"", `If that takes more than some seconds, the controller does not run, or does not reach the API server.`},
	NotBegun:               {"since", `Framework {{.Name}} was created {{.Ago}} ago, and has not begun.`},
	AttemptNotBegun:        {"attempt", `Framework {{.Name}} has not begun attempt {{.Attempt}}.`},
	StoppedBeforeAttempt:   {"attempt", `Framework {{.Name}} was stopped, and is about to end without attempt {{.Attempt}}.`},
	Held:                   {"", `Framework {{.Name}} is held: it begins when spec.executionType becomes Start.`},
	SuspendedBeforeAttempt: {"attempt", `Framework {{.Name}} is suspended, and nothing of it runs: attempt {{.Attempt}} begins when spec.suspend is false.`},
	AboutToBegin:           {"attempt", `Framework {{.Name}} is about to begin attempt {{.Attempt}}.`},
	FrameworkStarting:      {"attempt,since", `Framework {{.Name}} is starting: attempt {{.Attempt}} began at {{.At}}, and none of its Tasks has run yet.`},
	HasNoTasks:             {"", `It has no Tasks, so it idles until it gets some or is stopped.`},
	FrameworkRunning:       {"attempt,since", `Framework {{.Name}} is running: attempt {{.Attempt}} began at {{.At}}.`},
	AttemptOver:            {"attempt,ending", `Attempt {{.Attempt}} of Framework {{.Name}} is over, and {{if .Ending}}its Pods are being deleted{{else}}all its Pods are gone{{end}}.`},
	FrameworkEnded:         {"outcome,since,attempt", `Framework {{.Name}} {{.HowEnded}}: it ended at {{.At}}, in attempt {{.Attempt}}.`},
	FrameworkDeleted:       {"", `The Framework has been deleted since.`},
	Suspended:              {"", `It is suspended: it goes on, with a new attempt, when spec.suspend is false.`},
	TasksWanted:            {"tasks", `It will have {{.NumberOfTasks}}.`},
	TaskStates:             {"attempt,counts", `{{.States}}`},
	SchedulingChangedLate:  {"", `A change of spec.scheduling or spec.plugins takes effect with the next attempt: this attempt already has Pods, and keeps the settings that it began with.`},
	BeingDeleted:           {"since", `Its deletion was requested at {{.At}}; it is removed once all its Pods are gone.`},
	ActiveDeadline:         {"until", `If it still runs at {{.Due}}, spec.activeDeadlineSeconds is over: it is stopped, and ends with code -140, without a retry.`},

	RoleWithoutTasks:  {"", `Role {{.Name}} of Framework {{.Framework}} has no Tasks yet.`},
	RoleTasks:         {"tasks,attempt", `Role {{.Name}} of Framework {{.Framework}} has {{.NumberOfTasks}}, in attempt {{.Attempt}}.`},
	RoleRemoved:       {"", `The role was taken out of the spec, so its Tasks are being removed.`},
	RoleParallelism:   {"limit", `At most {{.LimitOfTasks}} of role {{.Name}} may have a Pod at a time (parallelism).`},
	CompletionPolicy:  {"failed,succeeded", `{{if or .Failed .Succeeded}}The attempt {{with .Failed}}fails when {{$.Several .}} failed for good{{end}}{{if and .Failed .Succeeded}}, and {{end}}{{with .Succeeded}}succeeds when {{$.Several .}} succeeded{{end}}.{{else}}No Task of the role ends the attempt by itself; the attempt succeeds when all Tasks of all roles have completed.{{end}}`},
	StartOrderUnknown: {"", `{{.TheRole}} starts after others, but the controller does not support startAfter: it is too old.`},
	RoleHasNoPods:     {"awaits", `{{.TheRole}} has no Pods yet: they are created when {{.Awaited}}.`},
	RoleHasNotStarted: {"awaits", `{{.TheRole}} has not started: the barriers in its Pods wait until {{.Awaited}}.`},

	NoSuchTask:           {"", `Framework {{.Framework}} has no Task {{.Name}}.`},
	FailureUnjudged:      {"attempt,pod,node,ip", `Pod {{.Pod}} of {{.TaskOfFramework}} failed in attempt {{.Attempt}}{{.OnNode}}. The failure has not been classified yet.`},
	TaskRunning:          {"attempt,since,pod,node,ip", `{{.TaskOfFramework}} has been running since {{.At}}, in attempt {{.Attempt}}, as Pod {{.Pod}}{{.Place}}.`},
	TaskStarting:         {"attempt,since,pod,node,ip", `{{.TaskOfFramework}} has been starting since {{.At}}, in attempt {{.Attempt}}, as Pod {{.Pod}}{{.Place}}.`},
	TaskWithoutPod:       {"attempt,since", `{{.TaskOfFramework}} has been starting since {{.At}}, in attempt {{.Attempt}}, and its Pod has not been created yet.`},
	TaskAwaitsTurn:       {"attempt,limit", `{{.TaskOfFramework}} waits for its turn in attempt {{.Attempt}}: at most {{.LimitOfTasks}} of role {{.Subject.Role}} may have a Pod at a time (parallelism).`},
	TaskItem:             {"item", `Its item is {{.Item}}.`},
	TaskItemUnknown:      {"", `Its item is no longer known, as the items of role {{.Subject.Role}} were changed or cannot be read.`},
	AwaitsRestart:        {"task", `It is created when the attempts of all Tasks that restart with Task {{.Task}} have ended.`},
	TaskAttemptOver:      {"attempt,follows,pod,ending", `Attempt {{.Attempt}} of {{.TaskOfFramework}} is over{{if .Ending}}, and its Pod {{.Pod}} is being deleted{{else if .Follows}}, and another one follows{{end}}.`},
	TaskRemoving:         {"", `{{.TaskOfFramework}} is being removed because the number of Tasks of role {{.Subject.Role}} was lowered.`},
	TaskRemovingWithRole: {"", `{{.TaskOfFramework}} is being removed because role {{.Subject.Role}} was removed from the spec.`},
	TaskEnded:            {"outcome,since,attempt,node,ip", `{{.TaskOfFramework}} {{.Verb}}: it ended at {{.At}}, in attempt {{.Attempt}}{{.Place}}.`},
	TaskRetries:          {"retries,counted", `{{.TheTask}} has been retried {{.HowOften}}.`},
	TasksRetried:         {"tasks,retries,counted", `{{.Tasks}} Tasks have been retried, in total {{.HowOften}}.`},
	TaskMemory:           {"memory,from", `Container {{.Name}} gets a memory limit of at least {{.Memory}}, after {{.From}} at first, because it ran out of memory.`},
	MoreTasks:            {"tasks", `{{if eq .Number 1}}1 more Task has failed or waits{{else}}{{.Number}} more Tasks have failed or wait{{end}} to be retried.`},

	Waiting:         {"reason,since", `{{.WhoWaits}} has been waiting since {{.At}}. {{.WaitingMeans}}`},
	WaitingInDetail: {"words", `In detail: {{.Quoted}}`},
	LatestWords:     {"from,since,reason,words", `The latest warning about Pod {{.Name}} is from {{.From}}, {{.Ago}} ago: {{.Reasoned}}`},
	ClaimWords:      {"from,since,reason,words", `The latest event of PersistentVolumeClaim {{.Name}} is from {{.From}}, {{.Ago}} ago: {{.Reasoned}}`},
	WaitingEnds:     {"reason", `{{.WaitingEnds}}`},
	PodUnscheduled:  {"reason,words", `Its Pod has no node{{with .Reasoned}}: {{.}}{{else}}.{{end}}`},
	ContainerWaits:  {"reason,words", `Container {{.Name}} does not run: {{.Reasoned}}{{.KubeletMeans}}`},
	ContainersLeft:  {"code,container", `Container {{.Name}} exited with code {{.Code}}, but {{.Container}} is still running and keeps the Pod running. {{.ContainersLeftEnds}}`},
	StartDeadline:   {"until,field", `If that stays so, its attempt fails at {{.Due}}, by startDeadline.{{.Field}} of its role, unless a plugin lets it take longer.`},
	TaskDeadline:    {"until", `If it still runs at {{.Due}}, task.activeDeadlineSeconds of its role is over: its attempt ends with code -141, and retryPolicy decides about another.`},

	AttemptSucceeded:  {"attempt,code,phrase,type", `{{.TheAttempt}} succeeded.`},
	AttemptEnded:      {"attempt,code,phrase,type,words", `{{.TheAttempt}} {{.EndedHow}} with code {{.CodeAndPhrase}}. {{.CodeMeans}}{{with .Quoted}} In detail: {{.}}{{end}}`},
	CodeMeans:         {"code,phrase,type", `{{.CodeMeans}}`},
	NodeSays:          {"reason,words", `The node says of the Pod: {{.Reasoned}}`},
	ContainerEnded:    {"code,signal,reason,words", `Container {{.Name}} ended with exit code {{.Code}}{{.ExitMeans}}.{{with .Words}} Its termination message is {{printf "%q" .}}.{{end}}`},
	ContainerReason:   {"reason", `{{.ContainerMeans}}`},
	Disrupted:         {"rule", `{{.DisruptionMeans}}`},
	JudgedByPlugin:    {"plugin,version,rule", `{{.ThePlugin}} assigned this code{{.ByRule}}.`},
	Remedy:            {"words,plugin", `Advice on this failure{{with .Plugin}} from plugin {{.}}{{end}}: {{.Quoted}}`},
	MemoryRaised:      {"memory,from", `Container {{.Name}} lacked memory: later Pods of the Task get a limit of {{.Memory}} for it, and had {{.From}}.`},
	MemoryAtMaximum:   {"memory", `Container {{.Name}} lacked memory, and its limit {{.Memory}} is the maximum, so later Pods get no more.`},
	MemoryNoLimit:     {"", `Container {{.Name}} lacked memory, but has no memory limit that could be raised: set resources.limits.memory.`},
	EndedByFailures:   {"failed", `Task {{.Name}} ended the attempt, which fails when {{.SeveralOfRole .Failed}} failed for good (minFailedTaskCount {{.Failed}}).`},
	EndedBySuccesses:  {"succeeded", `Task {{.Name}} ended the attempt, which succeeds when {{.SeveralOfRole .Succeeded}} succeeded (minSucceededTaskCount {{.Succeeded}}).`},
	EndedByLast:       {"failed", `Task {{.Name}} was the last to complete, and no minFailedTaskCount was reached, so the attempt succeeded{{with .Failed}}, although {{$.Several .}} failed{{end}}.`},
	EndedByTask:       {"words", `Task {{.Name}} ended the attempt{{if .Words}}: {{.Quoted}}{{else}}.{{end}}`},
	RetriesLeft:       {"verdicts", `{{.RetriesLeft}}.`},
	DecidedByPlugin:   {"plugin,version,rule", `{{.ThePlugin}} decided that the attempt ends{{.ByRule}}.`},
	WhatToChange:      {"code,phrase,type", `What to change: {{.CodeChange}}`},
	LimitsToRaise:     {"limits", `If a retry may help, raise {{.TheLimits}}.`},
	FancyPolicyWanted: {"policies", `With fancyRetryPolicy: true, {{.ThePolicies}} would be retried after such a failure, since it may pass.`},
	EndedForGood:      {"", `A Framework that has ended does not start again: delete it, and create it again with the change.`},
	LogsGone:          {"", `Its Pod is gone, and its logs with it, unless the cluster or the history collects logs.`},
	LastWordsWanted:   {"", `It left no last words: its log was empty, or its template sets terminationMessagePolicy: File.`},
	FailedFirst:       {"attempt,since,node,ip,attempts", `Task {{.Name}} failed first: its attempt {{.Attempt}} ended at {{.At}}{{.Place}}{{.LaterFailures}}.`},
	DisruptedFirst:    {"attempt,since,node,ip,attempts", `No Task failed by itself. Task {{.Name}} was disrupted first: its attempt {{.Attempt}} ended at {{.At}}{{.Place}}{{.LaterFailures}}.`},

	Retried:              {"row,ending,delayed,retries,used,limit,budget", `{{.CapitalSubject}} {{.WhyRetried}}`},
	RetriedAtOnce:        {"", `Another attempt starts as soon as possible. It does not depend on retryPolicy and is not counted as a retry.`},
	RetriedWithOthers:    {"", `Its next attempt starts together with the others. It does not depend on retryPolicy and is not counted as a retry.`},
	RestartsTogether:     {"scope,role,task", `All Tasks of {{if .Role}}role {{.Role}}{{else}}the Framework{{end}} that have not completed restart together because Task {{.Task}} failed: none begins before all have ended.`},
	RetryScheduled:       {"", `{{.CapitalSubject}} is retried: this was decided before the retry policy was changed, and the retry counts.`},
	WasRetried:           {"row,retries,used,limit,budget", `{{.CapitalSubject}} was retried because {{.WhyWasRetried}}`},
	RetryCostNothing:     {"row", `That retry did not count, whatever retryPolicy says.`},
	RoleRestarts:         {"used,limit", `Role {{.Name}} restarts as a whole: {{.UsedByRole}}.`},
	RoleRestartScheduled: {"", `Role {{.Name}} restarts as a whole: this was decided before its retry policy was changed.`},
	RoleWasRestarted:     {"used,limit", `Role {{.Name}} was restarted as a whole{{if .Used}}: {{.UsedByRole}}{{end}}.`},
	RoleNotRestarted:     {"used,limit", `Role {{.Name}} does not restart either: {{.UsedByRole}}.`},
	NotRetried:           {"row,ending,retries,used,limit,budget,withinSec", `{{.CapitalSubject}} {{if .Ending}}will not be{{else}}is not{{end}} retried{{.WhyNot}}.`},
	NotRetriedDeleted:    {"", `It is not retried because the Framework is being deleted.`},
	NotRetriedStopped:    {"", `It is not retried because the Framework was stopped.`},
	NotRetriedSuspended:  {"", `The Task is not retried: the Framework is suspended, which ends this attempt.`},
	GivenUp:              {"row", `The plugin that judged the failure gave up the whole attempt of the Framework, whatever retryPolicy of the Task says.`},
	NextAttempt:          {"until", `The next attempt{{.OfOther}} begins at {{.Due}}.`},

	EarlierRetry:          {"attempt,since,code,phrase,node,words", `{{if .Attempt}}Earlier: {{.RetryBegan}}.{{else}}Earlier, {{.Ago}} ago: {{.Quoted}}{{end}}`},
	EarlierAttempt:        {"attempt,since,code,phrase,node", `Earlier: attempt {{.Attempt}} ended {{.Ago}} ago with code {{.CodeAndPhrase}}{{with .Node}}, on node {{$.TheNode}}{{end}}.`},
	EarlierForgotten:      {"attempts", `There {{if eq .Number 1}}was 1 earlier attempt{{else}}were {{.Number}} earlier attempts{{end}}, whose events are gone.`},
	LastRetry:             {"task,attempt,since,code,phrase,node,words", `{{if .Attempt}}Last retry: {{.RetryBegan}}.{{else}}Last retry, {{.Ago}} ago: {{.Quoted}}{{end}}`},
	PodDeleted:            {"pod,ending,cause,code,row", `The controller {{if .Ending}}is deleting{{else}}deleted{{end}} Pod {{.Pod}}: {{.CauseFacts}}.`},
	PodDeletedWithAttempt: {"pod,ending,cause,code,row", `Pod {{.Pod}} {{if .Ending}}is being deleted{{else}}was deleted{{end}} with the attempt of the Framework: {{.CauseFacts}}. {{.CauseMeans}}`},
	PodDeletedEarlier:     {"since,cause,code,row", `The controller deleted a Pod of this Task {{.Ago}} ago: {{.CauseFacts}}. {{.CauseMeans}}`},
	PodsDeleted:           {"deleted", `The controller deleted Pods: {{.DeletedByCause}}.`},

	NodeAvoided: {"role,until,task,code,phrase,mode,relaxed,plugin,words", `New Pods{{with .Role}} of role {{.}}{{end}} avoid node {{.Name}} until {{.Due}} because Task {{.Task}} failed there with code {{.CodeAndPhrase}}. {{.HowStrictly}} This is set by {{.WhoAvoids}}{{with .Words}}, for the reason {{printf "%q" .}}{{end}}.`},
	MoreNodes:   {"nodes", `{{if eq .Number 1}}1 more node is{{else}}{{.Number}} more nodes are{{end}} avoided.`},
	Link:        {"words", `{{.Name}}: {{.Words}}`},
	LinkIgnored: {"reason", `The link {{.Name}} is ignored: {{.WhyIgnored}}`},
	Warning:     {"reason,since,words", `Warning, {{.Ago}} ago: {{.WarningMeans}}{{with .Quoted}} In detail: {{.}}{{end}}`},
}
