package reason

import "slices"

// Types of an event.
const (
	Normal          = "Normal"
	Warning         = "Warning"
	NormalOrWarning = "Normal or Warning"
)

// EventRow is what there is to say about a reason of events.
type EventRow struct {
	Reason Event
	// Type is one of Normal, Warning and NormalOrWarning.
	Type string
	// About is what the event is about. All events belong to the Framework.
	About Kind
	// Arguments are what the message names, in its order.
	Arguments []string
	// When is when the event is emitted, for the manual, in Markdown with links that are relative to its folder.
	When string
	// Means says what has happened, in whole sentences.
	Means string
	// Ends says what ends it, in whole sentences; empty if it does not last.
	Ends string
	// Change says what to change, as it follows after "What to change: "; empty if nothing is wrong.
	Change string
	// Next are the commands to run next.
	Next []Step
	// Untold: no status has it, so pkg/explain reports the latest event with its message.
	Untold bool
}

// eventTable is in the order of the manual. Those that are Untold are reported in it.
var eventTable = []EventRow{
	{Reason: AttemptCompleted, Type: Warning, About: Framework, Arguments: []string{"attempt", "Task", "phrase", "code", "diagnostics", "retry steps"},
		When: "an attempt of the Framework is going to fail; its Pods are deleted next. The message has the Task that decided, the beginning of the diagnostics, and, where a policy has " +
			"[more than numbers](retry-and-completion.md#when-a-task-has-no-retry-left) of retries, why no step had one left",
		Means: "An attempt of the Framework failed.", Next: []Step{explainAttempt}},
	{Reason: RetryScheduled, Type: Normal, About: Framework, Arguments: []string{"attempt", "delay"},
		When:  "an attempt of the Framework has ended, and the next one begins after the delay in the message",
		Means: "An attempt of the Framework ended, and another one begins after a delay.", Next: []Step{explainAttempt}},
	{Reason: Retried, Type: Normal, About: Framework, Arguments: []string{"attempt", "phrase", "code"},
		When:  "the next attempt of the Framework begins",
		Means: "Another attempt of the Framework begins.", Next: []Step{SeeEvents}},
	{Reason: Completed, Type: NormalOrWarning, About: Framework, Arguments: []string{"retries", "phrase", "code"},
		When:  "the Framework completes: Normal if it succeeded, otherwise Warning",
		Means: "The Framework completed.", Next: []Step{explainAttempt}},
	{Reason: TaskFailed, Type: Warning, About: Task, Arguments: []string{"Task", "phrase", "code", "diagnostics"},
		When:  "a Task has failed and is not retried. The message has the beginning of the diagnostics",
		Means: "A Task failed and is not retried.", Next: []Step{explainTask}},
	{Reason: TaskRetryScheduled, Type: Normal, About: Task, Arguments: []string{"Task", "attempt", "phrase", "code", "delay"},
		When:  "an attempt of a Task has ended, and the next one begins after the delay in the message",
		Means: "An attempt of a Task ended, and another one begins after a delay.", Next: []Step{explainTask}},
	{Reason: TaskRetried, Type: Normal, About: Task, Arguments: []string{"Task", "attempt", "phrase", "code", "node"},
		When:  "the next attempt of a Task begins. The message says how the attempt before ended, and on which node",
		Means: "Another attempt of a Task begins.", Next: []Step{explainTask}},
	{Reason: PeersRestarted, Type: Normal, About: TaskRole, Arguments: []string{"Task", "phrase", "code", "Tasks that restart"},
		When:  "a Task has failed, and others [restart with it](retry-and-completion.md)",
		Means: "A Task failed, and other Tasks restart with it.", Next: []Step{explainAllTasks}},
	{Reason: Rescaled, Type: Normal, About: TaskRole, Arguments: []string{"role", "Tasks"},
		When:  "Tasks are added at the end of a role, or are being removed",
		Means: "The number of Tasks of a role was changed.", Next: []Step{SeeTasks}},
	{Reason: Suspended, Type: Normal, About: Framework,
		When:  "the Framework is [suspended](running.md#suspend-and-resume)",
		Means: "The Framework was suspended.", Next: []Step{StartFramework}},
	{Reason: Resumed, Type: Normal, About: Framework,
		When:  "the Framework goes on after it was suspended",
		Means: "The Framework is no longer suspended.", Next: []Step{SeeTasks}},
	{Reason: SchedulingChangedLate, Type: Warning, About: Framework,
		When:  "[`spec.scheduling`](scheduling.md) or `spec.plugins` was edited after Pods of the attempt were created. The edit takes effect with the next attempt",
		Means: "spec.scheduling or spec.plugins was edited after Pods of the attempt were created, so the edit takes effect with the next attempt.", Next: []Step{SeeSpec}},
	{Reason: NodeAvoided, Type: Warning, About: Task, Arguments: []string{"node", "Task", "phrase", "code"},
		When:  "later Pods [avoid](retry-and-completion.md#nodes-on-which-pods-fail) a node",
		Means: "Later Pods of the role avoid a node on which a Pod has failed.", Next: []Step{SeeNodes}},
	{Reason: AvoidedNodesNeeded, Type: Warning, About: Task, Arguments: []string{"Task", "nodes"},
		When:   "no node was found for a Pod except those that it must [avoid](retry-and-completion.md#nodes-on-which-pods-fail). Later Pods only prefer other nodes",
		Means:  "The scheduler found no node for a Pod except those that it must avoid. Later Pods only prefer other nodes.",
		Change: "add nodes, or prefer other nodes in avoidNodes of the retry policy instead of requiring them.", Next: []Step{SeeNodes}},
	{Reason: PodDeleted, Type: Normal, About: Pod, Arguments: []string{"Pods", "cause", "code", "retry row"},
		When:  "the controller has deleted Pods for a [cause](#why-a-pod-was-deleted) that no other event reports",
		Means: "The controller deleted Pods.", Next: []Step{explainTask}},
	{Reason: ConfigMapDeleted, Type: Normal, About: ConfigMap, Arguments: []string{"ConfigMap", "cause", "code", "retry row"},
		When:  "the controller has deleted a ConfigMap for a [cause](#why-a-pod-was-deleted) that no other event reports",
		Means: "The controller deleted a ConfigMap.", Next: []Step{SeeEvents}},
	{Reason: PodRefused, Type: Warning, About: Pod, Arguments: []string{"Pod", "answer"}, Untold: true,
		When:   "the API server has rejected a Pod for good; once for each attempt of the Framework, each spec and each code. The message has the answer",
		Means:  "The API server rejected a Pod for good, so its Task failed.",
		Change: "the Pod template of the role, as the API server says.", Next: []Step{SeeSpec, EditSpec}},
	{Reason: PodWarning, Type: Warning, About: Pod, Arguments: []string{"Pod", "warning"}, Untold: true,
		When:   "the API server has accepted or rejected a Pod and warns of something in it, such as an unknown field",
		Means:  "The API server warns of something in a Pod, such as a field that it does not know.",
		Change: "the Pod template of the role, as the API server says.", Next: []Step{SeeSpec}},
	{Reason: PluginSkipped, Type: Warning, About: Plugin, Arguments: []string{"decision", "plugin", "why"}, Untold: true,
		When: "something was decided without a [plugin](plugins.md#if-a-plugin-does-not-answer), because it does not answer or refuses; once for each plugin and kind of decision, and once more when the " +
			"plugin is no longer asked about the Framework",
		Means:  "Something was decided without a plugin that should have been asked.",
		Change: "see why the plugin does not answer, or correct its parameters in spec.plugins.", Next: []Step{SeePlugins}},
	{Reason: StatusRefused, Type: Warning, About: Framework, Arguments: []string{"answer"}, Untold: true,
		When:   "the status cannot be stored, because the name is not valid, or the spec leaves no room",
		Means:  "The API server rejects the status of the Framework, so nothing goes on.",
		Ends:   "It ends when the API server accepts the status.",
		Change: "move large parts of the Pod template into ConfigMaps, or create the Framework under another name.", Next: []Step{SeeEvents, AskAPIServer}},
	{Reason: StatusOverwritten, Type: Warning, About: Framework, Untold: true,
		When:   "somebody has changed the status, and the controller restores it",
		Means:  "Somebody else changed the status, and the controller restores it.",
		Change: "find who writes the status: another controller, a restore from a backup, or a person.", Next: []Step{SeeController}},
	{Reason: StatusInvalid, Type: Warning, About: Framework, Arguments: []string{"mistake"},
		When:   "the stored status is invalid, so the controller does not process the Framework",
		Means:  "The stored status was written by somebody else, or damaged, and is invalid, so the controller does not process the Framework.",
		Ends:   "It ends when the status is repaired, or the Framework is deleted and created again.",
		Change: "repair the status, or create the Framework again.", Next: []Step{SeeSpec}},
	{Reason: SpecInvalid, Type: Warning, About: Framework, Arguments: []string{"mistake"},
		When:   "the stored spec is invalid for the controller, which does not process the Framework",
		Means:  "The stored spec is invalid for the controller, which does not process the Framework.",
		Ends:   "It ends when the spec is corrected.",
		Change: "correct the spec.", Next: []Step{SeeSpec, EditSpec}},
	{Reason: StatusCompressed, Type: Warning, About: Framework,
		When:  "the status is too large to be stored as it is; see [large statuses](#large-statuses)",
		Means: "The status is so large that its taskRoleStatuses are stored compressed.", Next: []Step{SeeTasks}},
	{Reason: StatusCut, Type: Warning, About: Framework, Untold: true,
		When:   "the status is too large to be stored even if it is compressed, so messages of completed Tasks are cut; see [large statuses](#large-statuses)",
		Means:  "The status is so large that messages of completed Tasks were cut.",
		Change: "shorter termination messages, or fewer Tasks.", Next: []Step{SeeTasks}},
	{Reason: RoleDuplicated, Type: Warning, About: TaskRole, Arguments: []string{"role"}, Untold: true,
		When:   "two roles have the same name, in a spec that was stored under an older CRD. Only the first one counts",
		Means:  "Two roles have the same name, and only the first one counts.",
		Change: "give the other role another name, or remove it.", Next: []Step{EditSpec}},
	{Reason: HostnameTruncated, Type: Warning, About: TaskRole, Arguments: []string{"role", "Pod", "length"}, Untold: true,
		When:   "the names of Pods are longer than a hostname may be",
		Means:  "The name of a Pod is too long to be a hostname, so its hostname is cut.",
		Change: "shorten the names, or set hostname in the Pod template.", Next: []Step{SeeSpec}},
	{Reason: SuccessUnreachable, Type: Warning, About: TaskRole, Arguments: []string{"role", "minSucceededTaskCount", "taskNumber"}, Untold: true,
		When:   "`minSucceededTaskCount` of a role is above its `taskNumber`",
		Means:  "minSucceededTaskCount of a role is higher than its number of Tasks, so its Tasks cannot make the Framework succeed.",
		Change: "lower minSucceededTaskCount. As it is, the attempt succeeds only when all Tasks have completed.", Next: []Step{EditSpec}},
	{Reason: FailureUnreachable, Type: Warning, About: TaskRole, Arguments: []string{"role", "minFailedTaskCount", "taskNumber"}, Untold: true,
		When:   "`minFailedTaskCount` of a role that has Tasks is above its `taskNumber`",
		Means:  "minFailedTaskCount of a role is higher than its number of Tasks, so its Tasks cannot make the Framework fail.",
		Change: "lower minFailedTaskCount. If failures are to be ignored, set it to -1.", Next: []Step{EditSpec}},
	{Reason: GangTooLarge, Type: Warning, About: TaskRole, Arguments: []string{"role", "minTasks", "taskNumber"}, Untold: true,
		When:   "a minimum in `scheduling.gang` is above the number of Tasks, or is of a role that does not exist",
		Means:  "spec.scheduling.gang asks for more Tasks than there are, so all of them are meant.",
		Change: "lower the minimum, or correct the name of the role.", Next: []Step{EditSpec}},
	{Reason: StartAfterUnknown, Type: Warning, About: TaskRole, Arguments: []string{"role", "other role"}, Untold: true,
		When:   "a role starts after one that does not exist, in a spec that was stored under an older CRD. It does not wait for that",
		Means:  "A role starts after one that does not exist, and does not wait for that.",
		Change: "correct the name of the role in startAfter.", Next: []Step{EditSpec}},
	{Reason: KeyVolumeTaken, Type: Warning, About: TaskRole, Arguments: []string{"role", "volume"}, Untold: true,
		When:   "a Pod template has a volume with the name that the volume of the [keys](network.md#keys) needs",
		Means:  "A pod template has a volume with the name that the volume of the keys of spec.ssh needs, so containers get the one of the template.",
		Change: "give the volume in the Pod template another name.", Next: []Step{EditSpec}},
	{Reason: HostPortShared, Type: Warning, About: TaskRole, Arguments: []string{"role", "port"}, Untold: true,
		When:   "the Tasks of a role need the same [port of their nodes](network.md#ports-of-nodes), so each needs a node of its own. With fewer nodes, some wait as `Unschedulable`",
		Means:  "Each Task of a role needs the same port of its node, so no two of its Tasks run on one node, and each waits until there is another one.",
		Change: "remove hostPort from the Pod template, or have as many nodes as the role has Tasks.", Next: []Step{EditSpec}},
	{Reason: StartNotHeld, Type: Warning, About: TaskRole, Arguments: []string{"role"}, Untold: true,
		When:   "a role [starts after](framework.md#start-order) others, but its Pod template has no init container such as [the barrier](barrier.md), so it starts at once",
		Means:  "A role is to start after others, but its pod template has no barrier, so it does not wait.",
		Change: "add the barrier to the Pod template of the role.", Next: []Step{EditSpec}},
	{Reason: FieldWithoutEffect, Type: Warning, About: TaskRole, Arguments: []string{"field", "other field"}, Untold: true,
		When: "fields of a retry policy or of `startDeadline` contradict each other or `scheduling`, or `completionContainers` do not fit the template, so one of them has no effect: " +
			"[which](retry-and-completion.md#budgets)",
		Means:  "A field of a retry policy or of a deadline has no effect because of another field.",
		Change: "one of the two fields that the message names.", Next: []Step{EditSpec}},
	{Reason: HintsWarning, Type: Warning, About: Plugin, Arguments: []string{"warning"}, Untold: true,
		When:   "the [plugin of the scheduler](scheduling.md) warns of something unexpected that the scheduler does, with the way out; once for each attempt",
		Means:  "The plugin of the scheduler warns of something unexpected that the scheduler does.",
		Change: "the spec, as the plugin says.", Next: []Step{SeeSpec}},
}

// EventTable returns the row of each reason of an event, apart from those of waits, which are in WaitingTable.
func EventTable() []EventRow { return slices.Clone(eventTable) }

// Row returns the row of the reason; the zero value if it has none, such as a reason to wait.
func (e Event) Row() EventRow {
	if i := slices.IndexFunc(eventTable, func(row EventRow) bool { return row.Reason == e }); i >= 0 {
		return eventTable[i]
	}
	return EventRow{}
}
