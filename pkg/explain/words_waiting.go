package explain

// waitingWords are those of the reasons of the condition Waiting. An API server or a webhook may give any other; see refusedWord.
var waitingWords = map[string]Word{
	"Unschedulable": {
		Means: "The scheduler finds no node for a Pod.",
		Ends:  "It ends by itself as soon as a node has room for the Pod; otherwise change what the Pod asks for, or the nodes.",
		Next:  []Step{describePod, seeNodes},
	},
	"ImageNotPulled": {
		Means: "The image of a container does not come to the node.",
		Ends:  "It ends when the node can pull the image. If its name is wrong, or a Secret for its registry is missing, the Pod has to be replaced after the spec is corrected.",
		Next:  []Step{describePod, editSpec},
	},
	"ContainerNotStarted": {
		Means: "The node has the image, but cannot start the container.",
		Ends:  "It ends when what the container needs is there, such as a Secret or a ConfigMap that the Pod names.",
		Next:  []Step{describePod},
	},
	"ContainerCrashing": {
		Means: "A container ends again and again, and the node starts it again and again, as the restartPolicy of the Pod says.",
		Ends:  "It ends when the container runs for 10 minutes, or the Pod fails; with restartPolicy Never the Pod would fail at once and the retry policy of the Task would decide.",
		Next:  []Step{{"kubectl framework logs {framework} {task} -n {namespace} --previous", "shows what the container printed before it ended"}, describePod},
	},
	"ContainersLeft": {
		Means: "A container has ended for good, and another one keeps its Pod running, so the Task does not end.",
		Ends: "It ends when the other container ends too. Where that serves the first one, such as a proxy, make it a native sidecar in the Pod template, which is an init container " +
			"with restartPolicy Always, or name the containers that do the work in completionContainers of the Task. The Pod has to be replaced after the spec is corrected.",
		Next: []Step{{"kubectl framework logs {framework} {task} -n {namespace}", "shows what the containers printed"}, editSpec},
	},
	"SchedulingGated": {
		Means: "A Pod may not be scheduled yet, because it has scheduling gates, such as those of a queue for jobs.",
		Ends:  "It ends when whoever has set the gates takes them away.",
		Next:  []Step{{"kubectl get pod {pod} -n {namespace} -o jsonpath='{.spec.schedulingGates}'", "shows the gates"}},
	},
	"PodNotScheduled": {
		Means: "A Pod was created a while ago, and no scheduler has looked at it: the scheduler is busy, does not run, or there is none of that name.",
		Ends:  "It ends when the scheduler that the Pod names looks at it.",
		Next:  []Step{{"kubectl get pods -n kube-system", "shows whether the scheduler runs"}, describePod},
	},
	"PodNotStarted": {
		Means: "A Pod has had its node for a while, and none of its containers runs, without a reason from the node.",
		Ends:  "It ends when the image is there, the volumes are mounted and the Pod has an address, unless the node is cut off.",
		Next:  []Step{describePod, seeNode},
	},
	"TooManyTasks": {
		Means: "The spec asks for more Tasks than a Framework may have, which is 20000, so no more are added.",
		Ends:  "It ends when taskNumber of some role is lowered.",
		Next:  []Step{editSpec},
	},
	"StartBlocked": {
		Means: "A role never starts, because of what its startAfter in the spec waits for.",
		Ends:  "It ends when startAfter is corrected, or what it waits for can be reached.",
		Next:  []Step{editSpec},
	},
	"StartsLater": {
		Means: "A role has no Pods yet, because its startAfter in the spec waits for others to succeed first. That is no trouble by itself.",
		Ends:  "It ends when all Tasks that it waits for have succeeded.",
		Next:  []Step{seeTasks},
	},
	"PodTerminating": {
		Means: "A Pod was deleted and does not go, although its grace period is over.",
		Ends:  "It ends when its node confirms that the containers are gone, and whoever has put a finalizer on the Pod takes it away.",
		Next:  []Step{describePod, seeNode},
	},
	"ConfigMapTerminating": {
		Means: "The ConfigMap of the attempt was deleted and does not go, although its Pods are gone.",
		Ends:  "It ends when the garbage collector of Kubernetes has looked at it; after a minute the controller sees to it itself.",
		Next:  []Step{{"kubectl get configmap {framework}-attempt -n {namespace} -o yaml", "shows its finalizers"}},
	},
	"ServiceAccountNotFound": {
		Means: "A Pod names a ServiceAccount that does not exist.",
		Ends:  "It ends when the ServiceAccount is created, or the spec names another one.",
		Next:  []Step{{"kubectl get serviceaccounts -n {namespace}", "shows those that exist"}, editSpec},
	},
	"PriorityClassNotFound": {
		Means: "A Pod names a PriorityClass that does not exist.",
		Ends:  "It ends when the class is created; after a minute the Task fails.",
		Next:  []Step{{"kubectl get priorityclasses", "shows those that exist"}, editSpec},
	},
	"RuntimeClassNotFound": {
		Means: "A Pod names a RuntimeClass that does not exist.",
		Ends:  "It ends when the class is created; after a minute the Task fails.",
		Next:  []Step{{"kubectl get runtimeclasses", "shows those that exist"}, editSpec},
	},
	"NameConflict": {
		Means: "Another object has the name that a Pod, the ConfigMap, the Service or the Secret of the Framework is to have.",
		Ends:  "It ends when that object is gone. It is left alone, as it is not the Framework's own.",
		Next:  []Step{{"kubectl get pod {pod} -n {namespace} -o yaml", "shows whose it is"}, {"kubectl get configmap,pod -n {namespace}", "shows what has which name"}},
	},
	"Forbidden": {
		Means: "The API server does not allow a request of the controller: a quota is used up, a policy or a webhook refuses it, or the controller lacks a permission.",
		Ends:  "It ends when the quota has room again, what refuses it is changed, or the controller has the permission. The controller keeps trying.",
		Next:  []Step{seeQuota, seeEvents},
	},
	"Invalid": {
		Means: "The API server does not take a Service or a Secret that the spec asks for.",
		Ends:  "It ends when the spec does not ask for it any more. A name cannot be changed: if that is what is wrong, create the Framework under another one.",
		Next:  []Step{editSpec},
	},
	"NamesUnresolvable": {
		Means: "spec.network asks for names that DNS can know, and those of some Pods are too long, or some Pods use the network of their nodes and ask resolvers that do not know them. The Pods run without.",
		Ends:  "It ends when the names are shorter, or the pod template sets spec.hostname, or dnsPolicy: ClusterFirstWithHostNet beside hostNetwork.",
		Next:  []Step{editSpec},
	},
	"InternalError": {
		Means: "The API server cannot do what the controller asks for, most often because a webhook does not answer.",
		Ends:  "It ends when the API server and its webhooks answer again. The controller keeps trying.",
		Next:  []Step{{"kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations", "shows the webhooks"}, seeEvents},
	},
	"RequestRefused": refusedWord,
	"APIServerUnreachable": {
		Means: "The controller does not reach the API server.",
		Ends:  "It ends when the API server answers the controller again.",
		Next:  []Step{askAPI, controllerIs},
	},
	"MemoryLimitReached": {
		Means: "The Framework would make the controller hold more in memory than it may for one author, so nothing is done for it.",
		Ends:  "It ends when other Frameworks of the namespace have ended, or this one is made smaller.",
		Next:  []Step{{"kubectl framework list -n {namespace}", "shows what else there is"}, editSpec},
	},
	"PluginUnavailable": {
		Means: "A plugin of the controller that has to be asked does not answer.",
		Ends:  "It ends when the plugin answers, or is configured where it is not; one that has ended is started again, and asked again.",
		Next:  []Step{seePlugins, controllerIs},
	},
	"PluginRefused": {
		Means: "A plugin of the controller refuses what the Framework tells it in spec.plugins.",
		Ends:  "It ends when the parameters are corrected.",
		Next:  []Step{editSpec, seePlugins},
	},
	"HintsRefused": {
		Means: "The plugin for the scheduler says that the Framework, as it is, cannot be scheduled.",
		Ends:  "It ends when the spec is corrected as the plugin says.",
		Next:  []Step{editSpec, seePlugins},
	},
	"HintsObjectsFailed": {
		Means: "An object that the scheduler needs for the Framework cannot be made.",
		Ends:  "It ends when the API server takes the object: its kind has to be installed, and the controller permitted to make it.",
		Next:  []Step{seeEvents, seePlugins},
	},
	"SchedulerNotReady": {
		Means: "The scheduler has not let the Pods of the Framework be created yet, as in a queue.",
		Ends:  "It ends when the scheduler admits the Framework.",
		Next:  []Step{seeEvents, seePlugins},
	},
}

// refusedWord is that of a refusal which has a reason of the API server's, or none.
var refusedWord = Word{
	Means: "The API server does not take a request of the controller at the moment.",
	Ends:  "It ends when the API server takes the request. The controller keeps trying.",
	Next:  []Step{seeEvents},
}

// WaitingWord returns what is said of a reason of the condition Waiting.
func WaitingWord(reason string) Word {
	if word, ok := waitingWords[reason]; ok {
		return word
	}
	return refusedWord
}
