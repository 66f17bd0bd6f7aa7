package reason

import "slices"

// Types of an event.
const (
	Normal          = "Normal"
	Warning         = "Warning"
	NormalOrWarning = "Normal or Warning"
)

// EventRow has all facts about a reason of events.
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
	// Means describes what has happened, in whole sentences.
	Means string
	// Ends is how it ends, in whole sentences; empty if it does not last.
	Ends string
	// Change is the advice that follows after "What to change: "; empty if nothing is wrong.
	Change string
	// Next are the commands to run next.
	Next []Step
	// Untold: no status has it, so pkg/explain reports the latest event with its message.
	Untold bool
}

// eventTable is in the order of the manual. Those that are Untold are reported in it.
var eventTable = []EventRow{
	{Reason: AttemptCompleted, Type: Warning, About: Framework, Arguments: []string{"attempt", "Task", "phrase", "code", "diagnostics", "remedy", "retry steps"},
		When: "an attempt of the Framework fails; its Pods are deleted next. The message has the Task that decided, the beginning of the diagnostics, and the remedy if there is one. If a retry policy has " +
			"[more than a number](../reference/retry-policy.md#three-levels) of retries, it also has the reason why no retry was left",
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
	{Reason: TaskFailed, Type: Warning, About: Task, Arguments: []string{"Task", "phrase", "code", "diagnostics", "remedy"},
		When:  "a Task has failed and is not retried. The message has the beginning of the diagnostics, and the remedy if there is one",
		Means: "A Task failed and is not retried.", Next: []Step{explainTask}},
	{Reason: TaskRetryScheduled, Type: Normal, About: Task, Arguments: []string{"Task", "attempt", "phrase", "code", "delay"},
		When:  "an attempt of a Task has ended, and the next one begins after the delay in the message",
		Means: "An attempt of a Task ended, and another one begins after a delay.", Next: []Step{explainTask}},
	{Reason: TaskRetried, Type: Normal, About: Task, Arguments: []string{"Task", "attempt", "phrase", "code", "node"},
		When:  "the next attempt of a Task begins. The message says how the attempt before ended, and on which node",
		Means: "Another attempt of a Task begins.", Next: []Step{explainTask}},
	{Reason: PeersRestarted, Type: Normal, About: TaskRole, Arguments: []string{"Task", "phrase", "code", "Tasks that restart"},
		When:  "a Task has failed, and others [restart with it](../reference/retry-policy.md#restart)",
		Means: "A Task failed, and other Tasks restart with it.", Next: []Step{explainAllTasks}},
	{Reason: Rescaled, Type: Normal, About: TaskRole, Arguments: []string{"role", "Tasks"},
		When:  "Tasks are added at the end of a role, or are being removed",
		Means: "The number of Tasks of a role was changed.", Next: []Step{SeeTasks}},
	{Reason: Suspended, Type: Normal, About: Framework,
		When:  "the Framework is [suspended](../tasks/suspend-and-resume.md)",
		Means: "The Framework was suspended.", Next: []Step{StartFramework}},
	{Reason: Resumed, Type: Normal, About: Framework,
		When:  "the Framework goes on after it was suspended",
		Means: "The Framework is no longer suspended.", Next: []Step{SeeTasks}},
	{Reason: SchedulingChangedLate, Type: Warning, About: Framework,
		When:  "[`spec.scheduling`](../reference/schedulers.md#edits) or `spec.plugins` was edited after Pods of the attempt were created. The edit takes effect with the next attempt",
		Means: "spec.scheduling or spec.plugins was edited after Pods of the attempt were created, so the edit takes effect with the next attempt.", Next: []Step{SeeSpec}},
	{Reason: MemoryRaised, Type: Normal, About: Task, Arguments: []string{"Task", "container", "limit"},
		When:  "a container ran out of memory, and later Pods of the Task [get more](../tasks/retry-with-more-memory.md)",
		Means: "A container ran out of memory, and later Pods of its Task get more.", Next: []Step{explainTask}},
	{Reason: MemoryKept, Type: Warning, About: Task, Arguments: []string{"Task", "container", "limit"},
		When:   "a container ran out of memory, and its memory [stays as it is](../tasks/retry-with-more-memory.md#when-memory-is-not-raised)",
		Means:  "A container ran out of memory, and later Pods of its Task get no more: it has no memory limit, or its limit is the maximum already.",
		Change: "set resources.limits.memory of the container, or raise maxMemory of onOOM.", Next: []Step{explainTask, SeeSpec}},
	{Reason: NodeAvoided, Type: Warning, About: Task, Arguments: []string{"node", "Task", "phrase", "code"},
		When:  "later Pods [avoid](../reference/retry-policy.md#avoidnodes) a node",
		Means: "Later Pods of the role avoid a node on which a Pod has failed.", Next: []Step{SeeNodes}},
	{Reason: AvoidedNodesNeeded, Type: Warning, About: Task, Arguments: []string{"Task", "nodes"},
		When:   "no node was found for a Pod except the nodes that it must [avoid](../reference/retry-policy.md#avoidnodes). Later Pods only prefer other nodes",
		Means:  "The scheduler found no node for a Pod except the nodes that it must avoid. Later Pods only prefer other nodes.",
		Change: "add nodes, or prefer other nodes in avoidNodes of the retry policy instead of requiring them.", Next: []Step{SeeNodes}},
	{Reason: PodDeleted, Type: Normal, About: Pod, Arguments: []string{"Pods", "cause", "code", "retry row"},
		When:  "the controller has deleted Pods for a [cause](../reference/deletion-causes.md) that no other event reports",
		Means: "The controller deleted Pods.", Next: []Step{explainTask}},
	{Reason: ConfigMapDeleted, Type: Normal, About: ConfigMap, Arguments: []string{"ConfigMap", "cause", "code", "retry row"},
		When:  "the controller has deleted a ConfigMap for a [cause](../reference/deletion-causes.md) that no other event reports",
		Means: "The controller deleted a ConfigMap.", Next: []Step{SeeEvents}},
	{Reason: PodRefused, Type: Warning, About: Pod, Arguments: []string{"Pod", "answer"}, Untold: true,
		When:   "a Pod cannot be created, now or later; once for each attempt of the Framework, each spec and each code. The message has the answer of the API server, or the mistake in the template or in the [item](../reference/items.md)",
		Means:  "A Pod cannot be created, so its Task failed.",
		Change: "the Pod template or the items of the role; the message names the mistake.", Next: []Step{SeeSpec, EditSpec}},
	{Reason: PodWarning, Type: Warning, About: Pod, Arguments: []string{"Pod", "warning"}, Untold: true,
		When:   "the API server has accepted or rejected a Pod, and warns of a field in it, such as an unknown one",
		Means:  "The API server warns of something in a Pod, such as a field that it does not know.",
		Change: "the Pod template of the role, as the API server says.", Next: []Step{SeeSpec}},
	{Reason: PluginSkipped, Type: Warning, About: Plugin, Arguments: []string{"decision", "plugin", "why"}, Untold: true,
		When: "a decision was made without a [plugin](../reference/plugin-configuration.md#if-a-plugin-does-not-answer), because the plugin does not answer or refuses. Once for each plugin and kind of decision, and once more when the " +
			"plugin is no longer asked about the Framework",
		Means:  "Something was decided without a plugin that should have been asked.",
		Change: "see why the plugin does not answer, or correct its parameters in spec.plugins.", Next: []Step{SeePlugins}},
	{Reason: HistoryDropped, Type: Warning, About: Plugin, Arguments: []string{"records", "sink", "why"}, Untold: true,
		When:   "a sink of the history has not stored records in time, and its failurePolicy is Drop. Once for each sink and attempt of the Framework",
		Means:  "Attempts of the Framework may be missing in the history.",
		Change: "see why the sink does not store them.", Next: []Step{SeePlugins}},
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
		When:  "the status is too large to be stored as it is; see [large statuses](../reference/status.md#large-statuses)",
		Means: "The status is so large that its taskRoleStatuses are stored compressed.", Next: []Step{SeeTasks}},
	{Reason: StatusCut, Type: Warning, About: Framework, Untold: true,
		When:   "the status is too large to be stored even if it is compressed, so messages of completed Tasks are cut; see [large statuses](../reference/status.md#large-statuses)",
		Means:  "The status is so large that messages of completed Tasks were cut.",
		Change: "shorter termination messages, or fewer Tasks.", Next: []Step{SeeTasks}},
	{Reason: RoleDuplicated, Type: Warning, About: TaskRole, Arguments: []string{"role"}, Untold: true,
		When:   "two roles have the same name, in a spec that was stored under an older CRD. Only the first role counts",
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
		When:   "a minimum in `scheduling.gang` is above the number of Tasks, or above `parallelism`, or is of a role that does not exist",
		Means:  "spec.scheduling.gang asks for more Tasks than there are, or than run at once, so all of these are meant.",
		Change: "lower the minimum, or correct the name of the role.", Next: []Step{EditSpec}},
	{Reason: BarrierInTurns, Type: Warning, About: TaskRole, Arguments: []string{"role", "parallelism", "taskNumber"}, Untold: true,
		When:   "a role with [parallelism](../tasks/run-many-tasks.md) has [the barrier](../concepts/barrier.md) in its Pod template, though its Tasks do not all run at once",
		Means:  "A role has a barrier, but its parallelism does not let all of its Tasks run at once, so the barrier waits only for the Tasks that do.",
		Change: "remove the barrier from the Pod template, or parallelism if the Tasks have to meet.", Next: []Step{EditSpec}},
	{Reason: StartAfterUnknown, Type: Warning, About: TaskRole, Arguments: []string{"role", "other role"}, Untold: true,
		When:   "a role starts after a role that does not exist, in a spec that was stored under an older CRD. It does not wait",
		Means:  "A role starts after one that does not exist, and does not wait for that.",
		Change: "correct the name of the role in startAfter.", Next: []Step{EditSpec}},
	{Reason: VolumeConflict, Type: Warning, About: TaskRole, Arguments: []string{"role", "volume"}, Untold: true,
		When:   "a Pod template has a volume with the name of one of [spec.volumes](../tasks/give-tasks-volumes.md), or mounts another volume at its mountPath; or no container has a name that its containers list",
		Means:  "A Pod template and spec.volumes want the same name or the same directory, or no container gets a volume.",
		Change: "rename the volume, change the mountPath, or correct the names of the containers.", Next: []Step{EditSpec}},
	{Reason: KeyVolumeTaken, Type: Warning, About: TaskRole, Arguments: []string{"role", "volume"}, Untold: true,
		When:   "a Pod template has a volume with the name that the volume of the [keys](../tasks/share-ssh-keys.md) needs",
		Means:  "A Pod template has a volume with the name that the volume of the keys of spec.ssh needs, so containers get the volume of the template.",
		Change: "give the volume in the Pod template another name.", Next: []Step{EditSpec}},
	{Reason: HostPortShared, Type: Warning, About: TaskRole, Arguments: []string{"role", "port"}, Untold: true,
		When:   "the Tasks of a role need the same [port of their nodes](../tasks/name-pods.md#ports-of-nodes), so each Task needs a node of its own. With fewer nodes, some Tasks wait as `Unschedulable`",
		Means:  "Each Task of a role needs the same port of its node, so no two of its Tasks run on one node, and each waits until there is another one.",
		Change: "remove hostPort from the Pod template, or have as many nodes as the role has Tasks.", Next: []Step{EditSpec}},
	{Reason: StartNotHeld, Type: Warning, About: TaskRole, Arguments: []string{"role"}, Untold: true,
		When:   "a role [starts after](../tasks/start-roles-in-order.md) others, but its Pod template has no init container such as [the barrier](../concepts/barrier.md), so it starts at once",
		Means:  "A role is to start after others, but its Pod template has no barrier, so it does not wait.",
		Change: "add the barrier to the Pod template of the role.", Next: []Step{EditSpec}},
	{Reason: FieldWithoutEffect, Type: Warning, About: TaskRole, Arguments: []string{"field", "other field"}, Untold: true,
		When: "fields of a retry policy, of a deadline or of a time to live contradict each other or `scheduling`, or `completionContainers` do not fit the template, so one of them has no effect. See " +
			"[the list](../reference/retry-policy.md#fields-without-effect)",
		Means:  "A field of a retry policy or of a deadline has no effect because of another field.",
		Change: "one of the two fields that the message names.", Next: []Step{EditSpec}},
	{Reason: ItemsEdited, Type: Warning, About: TaskRole, Arguments: []string{"role", "change"}, Untold: true,
		When: "[items](../reference/items.md#changes) with which an attempt began were changed or removed, or their ConfigMap can no longer be read. The message has the first item that differs, or the problem. " +
			"Once for each attempt and each spec",
		Means:  "The items of a role were changed or cannot be read while an attempt runs.",
		Change: "nothing, or restore the items. To use the new ones now, suspend and resume the Framework.", Next: []Step{SeeSpec}},
	{Reason: ItemsTooFew, Type: Warning, About: TaskRole, Arguments: []string{"role", "taskNumber", "items"}, Untold: true,
		When:   "`taskNumber` of a role is above the number of its [items](../reference/items.md), so it has only as many Tasks as items. Once for each attempt and each spec",
		Means:  "A role has fewer Tasks than its taskNumber, because it has too few items.",
		Change: "append items, or lower taskNumber.", Next: []Step{EditSpec}},
	{Reason: HintsWarning, Type: Warning, About: Plugin, Arguments: []string{"warning"}, Untold: true,
		When:   "the [plugin of the scheduler](../concepts/gangs.md) warns of unexpected behavior of the scheduler, with the way out; once for each attempt",
		Means:  "The plugin of the scheduler warns of something unexpected that the scheduler does.",
		Change: "the spec, as the plugin says.", Next: []Step{SeeSpec}},
}

// EventTable returns the row of each reason of an event. WaitingTable has the reasons of waits.
func EventTable() []EventRow { return slices.Clone(eventTable) }

// Row returns the row of the reason; the zero value if it has none, such as a reason to wait.
func (e Event) Row() EventRow {
	if i := slices.IndexFunc(eventTable, func(row EventRow) bool { return row.Reason == e }); i >= 0 {
		return eventTable[i]
	}
	return EventRow{}
}
