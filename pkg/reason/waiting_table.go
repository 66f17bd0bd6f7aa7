package reason

import "slices"

// WaitingRow has all facts about a reason to wait.
type WaitingRow struct {
	Reason Waiting
	// About is what the message names, and what keeps the Framework from going on.
	About Kind
	// Intended: the wait is no trouble, and its event is no warning.
	Intended bool
	// When is when the condition has the reason, for the manual, in Markdown with links that are relative to its folder.
	When string
	// Means describes what has happened, and Ends how it ends, in whole sentences.
	Means, Ends string
	// Next are the commands to run next.
	Next []Step
	// Symptoms are for the page about troubleshooting.
	Symptoms []Symptom
}

// Symptom is one way in which a wait shows itself, and what to do about it. All of it is Markdown of the manual.
type Symptom struct {
	// Sign is what there is beside the reason; empty if the reason is all.
	Sign string
	// LookAt is where the cause shows.
	LookAt        string
	Cause, WayOut string
}

// waitingTable is in the order of the manual, which is also that in which reasons of one rank are preferred.
var waitingTable = []WaitingRow{
	{
		Reason: NameConflict, About: Object,
		When: "another object has the name of a Pod, of the ConfigMap, of the Service or of the Secret. It belongs to somebody else, or is an object of an earlier attempt that a finalizer keeps; " +
			"the message names the finalizer",
		Means: "Another object has the name that a Pod, the ConfigMap, the Service or the Secret of the Framework needs.",
		Ends:  "It ends when that object is gone. The controller leaves it alone, because it does not belong to the Framework.",
		Next: []Step{{"kubectl get pod {pod} -n {namespace} -o yaml", "shows its owner"},
			{"kubectl get configmap,pod -n {namespace}", "shows the names in use"}},
		Symptoms: []Symptom{
			{"ConfigMap", "`kubectl get cm train-attempt -o yaml`", "an old Framework of the same name is still ending, or was deleted with `--cascade=orphan`",
				"wait for its Pods; delete the ConfigMap if nobody owns it"},
			{"ConfigMap of a deleted Framework, without Pods", "`kubectl get cm train-attempt -o yaml`: only the finalizer `foregroundDeletion` is left",
				"the garbage collector has missed that the last Pods have gone", "`kubectl delete cm train-attempt --cascade=background`"},
			{"Pod", "`kubectl get pod train-worker-0 -o yaml`", "the Pod does not belong to the Framework", "delete it, or choose another Framework name"},
			{"Service or Secret", "`kubectl get svc train -o yaml`, `kubectl get secret train-ssh -o yaml`", "it does not belong to the Framework; Pods still run",
				"see [names and keys](../reference/network.md#when-a-name-is-taken-or-invalid)"},
			{"after a restore from a backup", "`kubectl get cm,pod -l FC_FRAMEWORK_NAME=train -o yaml`: `ownerReferences`", "the objects were in the backup, and belong to nobody now",
				"see [backup and restore](../operations/backup-and-restore.md#if-pods-and-configmaps-were-in-the-backup)"},
		},
	},
	{
		Reason: ServiceAccountNotFound, About: Pod,
		When:  "a Pod names a ServiceAccount that does not exist yet, or is in a namespace that was created a moment ago",
		Means: "A Pod names a ServiceAccount that does not exist.",
		Ends:  "It ends when the ServiceAccount is created, or the spec names another one.",
		Next:  []Step{{"kubectl get serviceaccounts -n {namespace}", "shows the existing ServiceAccounts"}, EditSpec},
		Symptoms: []Symptom{{"", "`serviceAccountName` in the template; `kubectl get serviceaccounts`", "the ServiceAccount is not created yet, or its name is misspelt",
			"create it, and the Framework continues; or correct the template"}},
	},
	{
		Reason: PriorityClassNotFound, About: Pod,
		When:  "a Pod names a PriorityClass that does not exist. The Task waits for [a minute](../reference/codes.md#refusals-that-pass-by-themselves) and then fails",
		Means: "A Pod names a PriorityClass that does not exist.",
		Ends:  "It ends when the class is created; after a minute the Task fails.",
		Next:  []Step{{"kubectl get priorityclasses", "shows the existing PriorityClasses"}, EditSpec},
		Symptoms: []Symptom{{"or -310 after a minute", "the name in the message; `kubectl get priorityclasses`", "the class is not created yet, or its name is misspelt",
			"create it; after the minute, create the Framework again"}},
	},
	{
		Reason: RuntimeClassNotFound, About: Pod,
		When:  "a Pod names a RuntimeClass that does not exist. The Task waits for [a minute](../reference/codes.md#refusals-that-pass-by-themselves) and then fails",
		Means: "A Pod names a RuntimeClass that does not exist.",
		Ends:  "It ends when the class is created; after a minute the Task fails.",
		Next:  []Step{{"kubectl get runtimeclasses", "shows the existing RuntimeClasses"}, EditSpec},
		Symptoms: []Symptom{{"or -310 after a minute", "the name in the message; `kubectl get runtimeclasses`", "the class is not created yet, or its name is misspelt",
			"create it; after the minute, create the Framework again"}},
	},
	{
		Reason: Invalid, About: Object,
		When:  "the API server rejects a [Service or a Secret](../reference/network.md#when-a-name-is-taken-or-invalid) that the spec asks for, for example because of its name",
		Means: "The API server rejects a Service or a Secret that the spec asks for.",
		Ends:  "It ends when the spec no longer asks for it. A name cannot be changed: if the name is wrong, create the Framework under another one.",
		Next:  []Step{EditSpec},
		Symptoms: []Symptom{{"", "the message: the object, and the answer of the API server", "the name of the Framework is not valid for a Service, or a field of `spec.network` or `spec.ssh` is not valid",
			"see [names and keys](../reference/network.md#when-a-name-is-taken-or-invalid)"}},
	},
	{
		Reason: Forbidden, About: Object,
		When:  "the API server forbids a request at the moment: a quota, a policy, a webhook or a missing permission",
		Means: "The API server forbids a request of the controller: a quota is used up, a policy or a webhook rejects it, or the controller lacks a permission.",
		Ends:  "It ends when the quota has room again, the policy or webhook that rejects it is changed, or the controller has the permission. The controller keeps trying.",
		Next:  []Step{SeeQuota, SeeEvents},
		Symptoms: []Symptom{
			{`"exceeded quota"`, "`kubectl describe quota`", "the quota is used up", "raise it, free some, or wait"},
			{`"cannot create"`, "the controller's ClusterRole", "[permissions](../operations/install.md#permissions) are missing", "grant them"},
			{`"deleting the Framework": it has completed, and its time to live is over`, "the message", "the controller may not delete it, or an admission policy forbids it",
				"[grant](../operations/install.md#permissions) the permission, or correct the policy: the controller tries again"},
		},
	},
	{
		Reason: InternalError, About: Object,
		When:  "the API server cannot serve a request at the moment, most often because a webhook does not answer",
		Means: "The API server cannot serve a request of the controller, most often because a webhook does not answer.",
		Ends:  "It ends when the API server and its webhooks answer again. The controller keeps trying.",
		Next: []Step{{"kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations", "shows the webhooks"},
			SeeEvents},
		Symptoms: []Symptom{{"", "the message", "an admission webhook does not answer", "repair the webhook"}},
	},
	{
		Reason: RequestRefused, About: Object,
		When: "the API server rejects a request at the moment, and its answer has no reason that is valid in a condition. Any other reason of the API server, or of a webhook, " +
			"is passed on unchanged",
		Means:    "The API server rejects a request of the controller at the moment.",
		Ends:     "It ends when the API server accepts the request. The controller keeps trying.",
		Next:     []Step{SeeEvents},
		Symptoms: []Symptom{{"or a reason that is not in this table", "the message", "the API server or an admission webhook rejects a request", "find out what rejects it; the controller tries again"}},
	},
	{
		Reason: APIServerUnreachable, About: Object,
		When:     "the API server does not answer",
		Means:    "The API server does not answer the controller.",
		Ends:     "It ends when the API server answers the controller again.",
		Next:     []Step{AskAPIServer, SeeController},
		Symptoms: []Symptom{{"", "the API server, the network", "requests get no answer", "the controller tries again"}},
	},
	{
		Reason: MemoryLimitReached, About: Framework,
		When: "the Framework, or all Frameworks of its namespace, would make the controller hold more in memory than it [may](../operations/sizing.md#memory-of-one-author). The Framework does not begin before others have ended; " +
			"if it was edited to be that large, it stands still until then",
		Means: "The Framework would make the controller hold more in memory than it may for one author, so the controller does nothing for it.",
		Ends:  "It ends when other Frameworks of the namespace have ended, or this one is made smaller.",
		Next:  []Step{{"kubectl framework list -n {namespace}", "shows what else there is"}, EditSpec},
		Symptoms: []Symptom{{"", "the message: whose limit; `kubectl get fw` for large or many Frameworks of the namespace",
			"more than the controller may [hold in memory](../operations/sizing.md#memory-of-one-author) for one Framework or namespace", "delete or stop others, make it smaller, or raise the limit"}},
	},
	{
		Reason: TooManyTasks, About: Framework,
		When: "`spec.taskRoles` was changed to more than 20,000 Tasks in all. The status of more could not be stored. The controller adds Tasks up to this limit, and no more before `taskNumber` is lowered. " +
			"Scale-down and stop work as usual",
		Means:    "The spec asks for more Tasks than a Framework may have, which is 20000, so no more are added.",
		Ends:     "It ends when taskNumber of some role is lowered.",
		Next:     []Step{EditSpec},
		Symptoms: []Symptom{{"", "`spec.taskRoles`", "a rescale to more Tasks than a Framework may have, 20,000", "lower `taskNumber`, or stop the Framework"}},
	},
	{
		Reason: ItemsNotReady, About: TaskRole,
		When: "an attempt cannot begin, or an added role cannot, because its [items](../reference/items.md) cannot be read: the ConfigMap or its key is missing, or the message names the line or value that is wrong. " +
			"The ConfigMap is read again every 10 s",
		Means: "The items of a role cannot be read or used, so the attempt does not begin.",
		Ends:  "It ends when the ConfigMap is there and every line of it is right, or the items in the spec are corrected.",
		Next:  []Step{{"kubectl get configmaps -n {namespace}", "shows the ConfigMaps that there are"}, EditSpec},
		Symptoms: []Symptom{{"", "the message: which ConfigMap and key, or which line or value, and what is wrong with it", "the ConfigMap is not created yet, its name or key is misspelt, or a line is not JSON",
			"create or correct the ConfigMap, or correct `items`; see [items](../reference/items.md#if-items-cannot-be-used)"}},
	},
	{
		Reason: ItemsChanged, About: TaskRole,
		When: "Tasks need Pods, and the controller no longer knows the [items](../reference/items.md) with which the attempt began: they were changed or removed, and the controller has restarted since. " +
			"No Pod is created with another value",
		Means: "Tasks need Pods, but the items with which their attempt began were changed or removed, and the controller, which has restarted since, cannot know them.",
		Ends:  "It ends when the items are as before, apart from appended ones, or with the next attempt.",
		Next:  []Step{SeeEvents, EditSpec},
		Symptoms: []Symptom{{"", "the message: which role; the event `ItemsEdited`", "items were edited while their attempt ran, and the controller was restarted",
			"restore the items; or suspend and resume the Framework, which begins an attempt with the new ones"}},
	},
	{
		Reason: PodTerminating, About: Pod,
		When: "a Pod still exists 5 s after its grace period. The message has its name, the time since which it terminates, and its node or its finalizers. If only finalizers keep it, because it no longer runs, " +
			"its Task has already gone on, and the next Pod waits for the name",
		Means: "A Pod was deleted and is still there, although its grace period is over.",
		Ends:  "It ends when its node confirms that the containers are gone, and whoever has put a finalizer on the Pod removes it.",
		Next:  []Step{DescribePod, SeeNode},
		Symptoms: []Symptom{{"", "the Pod that the message names: its node, its `metadata.finalizers`", "the node is cut off, or nobody removes the finalizer",
			"[handle lost nodes](../tasks/handle-lost-nodes.md); remove the finalizer if its owner is gone"}},
	},
	{
		Reason: ConfigMapTerminating, About: ConfigMap,
		When: "the attempt's ConfigMap has been terminating for 20 s, and none of its Pods is. When no Task has had a Pod for a minute, the controller no longer waits for the garbage collector of Kubernetes. " +
			"It deletes the ConfigMap at once if the API server knows of no Pod that the ConfigMap owns and that may run",
		Means: "The ConfigMap of the attempt was deleted and is still there, although its Pods are gone.",
		Ends:  "It ends when the garbage collector of Kubernetes has processed it; after a minute the controller deletes it itself.",
		Next:  []Step{{"kubectl get configmap {framework}-attempt -n {namespace} -o yaml", "shows its finalizers"}},
		Symptoms: []Symptom{{"", "`kubectl get cm train-attempt -o yaml`: `metadata.finalizers`",
			"somebody else's finalizer, a Pod that the ConfigMap owns, or the garbage collector of Kubernetes is slow or does not run",
			"remove that finalizer, but never `foregroundDeletion` while Pods run; check kube-controller-manager. If it only missed something, the controller continues by itself after a minute"}},
	},
	{
		Reason: Unschedulable, About: Pod,
		When: "the scheduler has found no node for a Pod for 5 s, or has failed to look for one. The message has the scheduler's words, and its reason if that differs, " +
			"such as `SchedulerError`",
		Means: "The scheduler finds no node for a Pod.",
		Ends:  "It ends by itself as soon as a node has room for the Pod; otherwise change what the Pod requests, or the nodes.",
		Next:  []Step{DescribePod, SeeNodes},
		Symptoms: []Symptom{
			{"", "`kubectl describe pod train-worker-0`, its events", "no node has the labels or the room that the Pod asks for; if there is a gang, the Pod that is named has the reason",
				"add nodes, free some, or wait; or correct the template as below"},
			{`"SchedulerError"`, "the scheduler's log", "the scheduler cannot look for a node, as when an extender such as HiveD does not answer", "repair it; the scheduler tries again by itself"},
		},
	},
	{
		Reason: ImageNotPulled, About: Pod,
		When:  "the node cannot pull the image of a container, init containers included. The message has the kubelet's words",
		Means: "The node cannot pull the image of a container.",
		Ends: "It ends when the node can pull the image. If its name is wrong, or a Secret for its registry is missing, correct the spec and then replace the " +
			"Pod.",
		Next: []Step{DescribePod, EditSpec},
		Symptoms: []Symptom{{"", "the message: Task, Pod, node, and the report of the kubelet",
			"the image does not exist, its name is wrong, or the registry refuses it to the node", "push it; set `imagePullSecrets`; or correct the template as below"}},
	},
	{
		Reason: ContainerNotStarted, About: Pod,
		When:  "the image is there, and the node cannot start the container, for example because a Secret is missing",
		Means: "The node has the image, but cannot start the container.",
		Ends:  "It ends when what the container needs is there, such as a Secret or a ConfigMap that the Pod names.",
		Next:  []Step{DescribePod},
		Symptoms: []Symptom{{"", "the message", "a ConfigMap or Secret that the template names is not there, or the command is not in the image",
			"create it, and the kubelet tries again; or correct the template as below"}},
	},
	{
		Reason: ContainerCrashing, About: Pod,
		When: "a container was restarted at least three times, or after it ended with 210, which reports that a restart is of no use. It has not run for 10 minutes since. " +
			"The message has its last exit",
		Means: "A container ends again and again, and the node starts it again and again, as the restartPolicy of the Pod says.",
		Ends: "It ends when the container runs for 10 minutes, or the Pod fails; with restartPolicy Never the Pod would fail at once and the retry policy of the Task " +
			"would decide.",
		Next: []Step{{"kubectl framework logs {framework} {task} -n {namespace} --previous", "shows what the container printed before it ended"}, DescribePod},
		Symptoms: []Symptom{
			{"", "`kubectl logs train-worker-0 --previous`", "a container ends soon after each start, and is started again because of its `restartPolicy`", "debug it like any Pod"},
			{`"may not get frameworks"; or code 210`, "`kubectl auth can-i get frameworks --as=system:serviceaccount:default:default`",
				"the account of the Pods may not read Frameworks, which the [barrier](../concepts/barrier.md) does", "bind the Role, and create the Framework again"},
		},
	},
	{
		Reason: ContainersLeft, About: Pod,
		When: "a container of a Pod ended for good a minute ago, and another one, such as a proxy, keeps the Pod running. The ended container failed, or is the first one of the template. " +
			"The message names both, and how the first ended. See [containers that run on](../concepts/pods.md#containers-that-run-on)",
		Means: "A container has ended for good, and another one keeps its Pod running, so the Task does not end.",
		Ends: "It ends when the other container ends too. Where that serves the first one, such as a proxy, make it a native sidecar in the Pod template, which is an init container " +
			"with restartPolicy Always, or name the containers that do the work in completionContainers of the Task. Replace the Pod after the spec is corrected.",
		Next: []Step{{"kubectl framework logs {framework} {task} -n {namespace}", "shows what the containers printed"}, EditSpec},
		Symptoms: []Symptom{{"", "the message: which container has ended, and which one runs on", "a proxy or a log shipper is a plain container, and nothing stops it",
			"make it a native sidecar, or set [`completionContainers`](../concepts/pods.md#containers-that-run-on)"}},
	},
	{
		Reason: SchedulingGated, About: Pod,
		When:  "a Pod has been held back by its scheduling gates for 5 s, as by a queue of jobs. The message names the gates",
		Means: "A Pod may not be scheduled yet, because it has scheduling gates, such as the gates of a queue for jobs.",
		Ends:  "It ends when the owner of the gates removes them.",
		Next:  []Step{{"kubectl get pod {pod} -n {namespace} -o jsonpath='{.spec.schedulingGates}'", "shows the gates"}},
		Symptoms: []Symptom{{"", "the Pod's `spec.schedulingGates`, which the message names",
			"the owner of the gate has not removed it: a queue of jobs such as Kueue holds the Pod back, or its controller does not run",
			"wait for the queue; check its controller; or leave the gate out of the template"}},
	},
	{
		Reason: PodNotScheduled, About: Pod,
		When: "a Pod was created a minute ago, and no scheduler has reported anything about it: the scheduler is busy, does not run, or there is none of that name. The message has the Pod's `schedulerName`, " +
			"and its PodGroup, if `spec.schedulingGroup` names one: kube-scheduler does not look at Pods before their group exists and is complete",
		Means: "A Pod was created a while ago, and no scheduler has looked at it: the scheduler is busy, does not run, or there is none of that name.",
		Ends:  "It ends when the scheduler that the Pod names looks at it.",
		Next:  []Step{{"kubectl get pods -n kube-system", "shows whether the scheduler runs"}, DescribePod},
		Symptoms: []Symptom{{"", "`schedulerName` in the message; `kubectl get pods -A` for a scheduler of that name",
			"it does not run, is not installed, or the name is wrong; or it is busy with many Pods", "start or install it; or correct the template as below"}},
	},
	{
		Reason: PodNotStarted, About: Pod,
		When: "a Pod has been on its node for a minute, and none of its containers runs yet. The kubelet gives no reason: a large image, a volume that is not mounted, no address, or a node that is " +
			"cut off",
		Means: "A Pod has had its node for a while, and none of its containers runs, without a reason from the node.",
		Ends:  "It ends when the image is there, the volumes are mounted and the Pod has an address, unless the node is cut off.",
		Next:  []Step{DescribePod, SeeNode},
		Symptoms: []Symptom{{"", "`kubectl describe pod train-worker-0`, its events", "a large image, a volume that is not mounted, no address from the network, or a node that is cut off",
			"wait, or debug it like any Pod"}},
	},
	{
		Reason: StartBlocked, About: TaskRole,
		When: "a role never starts because of its [`startAfter`](../tasks/start-roles-in-order.md), unless somebody does something: roles or Frameworks start after each other in a circle, Tasks that have to succeed never do, or " +
			"another Framework does not exist, has failed or is run by another controller. The message names them, and the way out",
		Means: "A role never starts, because of what its startAfter in the spec waits for.",
		Ends:  "It ends when startAfter is corrected, or what it waits for can be reached.",
		Next:  []Step{EditSpec},
		Symptoms: []Symptom{{"", "the message: which roles; `startAfter` in the spec", "roles or Frameworks start after each other in a circle, what has to succeed first never will, or another Framework does not exist",
			"correct `startAfter`; see [start order](../tasks/start-roles-in-order.md)"}},
	},
	{
		Reason: NamesUnresolvable, About: Framework,
		When: "[`spec.network.dns`](../reference/network.md#when-a-name-is-taken-or-invalid) asks for names in DNS, and DNS cannot resolve some of them. The names of Pods are too long, or Pods use the network of their nodes " +
			"and do not ask the DNS of the cluster. The Pods run, and it is reported only if nothing else is in the way",
		Means: "spec.network asks for names that DNS can resolve, but the names of some Pods are too long, or some Pods use the network of their nodes and ask resolvers that do not know the names. " +
			"The Pods run without them.",
		Ends: "It ends when the names are shorter, or the Pod template sets spec.hostname, or dnsPolicy: ClusterFirstWithHostNet beside hostNetwork.",
		Next: []Step{EditSpec},
		Symptoms: []Symptom{{"", "the message: which role, and why", "the names of Pods are too long for DNS, or Pods with `hostNetwork` ask the resolvers of their nodes",
			"shorter names, or `hostname` in the template; `dnsPolicy: ClusterFirstWithHostNet` beside `hostNetwork`"}},
	},
	{
		Reason: StartsLater, About: TaskRole, Intended: true,
		When:     "a role has no Pods yet, because it starts after others have succeeded, or after another Framework. This wait is intended, and its event is Normal. It is reported only if nothing else is in the way",
		Means:    "A role has no Pods yet, because its startAfter in the spec waits for others to succeed first, or for another Framework to complete. That is no trouble by itself.",
		Ends:     "It ends when all Tasks that it waits for have succeeded, and all Frameworks that it waits for have completed.",
		Next:     []Step{SeeTasks},
		Symptoms: []Symptom{{"", "`kubectl framework explain`", "a role starts after others have succeeded, or after another Framework, which still run", "nothing; the role starts when they have succeeded or completed"}},
	},
	{
		Reason: PluginUnavailable, About: Plugin,
		When:  "a [plugin](../reference/plugin-configuration.md#if-a-plugin-does-not-answer) that has to be asked does not answer",
		Means: "A plugin of the controller that has to be asked does not answer.",
		Ends:  "It ends when the plugin answers, or is configured where it is missing. A plugin that has ended is started and asked again.",
		Next:  []Step{SeePlugins, SeeController},
		Symptoms: []Symptom{{"", "the message: which plugin; `kubectl framework plugins`", "the plugin crashes, hangs, or is not in the configuration of the controller",
			"see the controller's log; correct the plugin or the configuration"}},
	},
	{
		Reason: PluginRefused, About: Plugin,
		When:  "a [plugin](../reference/plugin-configuration.md#if-a-plugin-does-not-answer) rejects its parameters in `spec.plugins`",
		Means: "A plugin of the controller rejects its parameters in spec.plugins.",
		Ends:  "It ends when the parameters are corrected.",
		Next:  []Step{EditSpec, SeePlugins},
		Symptoms: []Symptom{{"", "the message: plugin and parameter", "`spec.plugins` has a parameter with which the plugin cannot work",
			"correct it; the Framework continues at once"}},
	},
	{
		Reason: HintsRefused, About: Plugin,
		When:  "the [plugin of the scheduler](../reference/schedulers.md) reports that the Framework cannot be scheduled as it is",
		Means: "The plugin for the scheduler reports that the Framework, as it is, cannot be scheduled.",
		Ends:  "It ends when the spec is corrected as the plugin says.",
		Next:  []Step{EditSpec, SeePlugins},
		Symptoms: []Symptom{{"", "the message of the plugin", "`spec.scheduling` requests a feature that the scheduler lacks",
			"correct `spec.scheduling` or the Pod templates"}},
	},
	{
		Reason: HintsObjectsFailed, About: Object,
		When:  "an object that the [scheduler](../reference/schedulers.md) needs cannot be created",
		Means: "An object that the scheduler needs for the Framework cannot be created.",
		Ends:  "It ends when the API server accepts the object: its kind has to be installed, and the controller permitted to create it.",
		Next:  []Step{SeeEvents, SeePlugins},
		Symptoms: []Symptom{{"", "the message: the object and why it cannot be created", "its kind is not installed, the controller may not create it, or its name is taken",
			"install the kind; [grant](../operations/install.md#permissions) the permission; or free the name"}},
	},
	{
		Reason: SchedulerNotReady, About: Framework,
		When:  "the [scheduler](../reference/schedulers.md) has not admitted the Framework yet, so its Pods are not created",
		Means: "The scheduler has not admitted the Framework yet, as in a queue, so its Pods are not created.",
		Ends:  "It ends when the scheduler admits the Framework.",
		Next:  []Step{SeeEvents, SeePlugins},
		Symptoms: []Symptom{{"", "the message of the scheduler; its queues", "the queue has no room, or the scheduler does not run",
			"wait for the queue, or check the scheduler"}},
	},
}

// Waitings returns the reasons to wait that the controller knows of, in a fixed order.
func Waitings() []Waiting {
	all := make([]Waiting, len(waitingTable))
	for i, row := range waitingTable {
		all[i] = row.Reason
	}
	return all
}

// WaitingTable returns the row of each reason to wait that the controller knows of.
func WaitingTable() []WaitingRow { return slices.Clone(waitingTable) }

// Row returns the row of the reason. A reason that the controller does not know, which only an API server or a webhook gives, has
// that of RequestRefused.
func (w Waiting) Row() WaitingRow {
	at := func(reason Waiting) int {
		return slices.IndexFunc(waitingTable, func(row WaitingRow) bool { return row.Reason == reason })
	}
	i := at(w)
	if i < 0 {
		i = at(RequestRefused)
	}
	return waitingTable[i]
}
