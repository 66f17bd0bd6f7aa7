package convert

import (
	"slices"
	"strings"
)

// replicas are the Pods of one type in a job of the training operator, and the role that they become.
type replicas struct {
	*fields
	*role
	kind   string // Master, Worker and so on
	policy string // restartPolicy
}

// longestRestart is between two restarts of a container by the kubelet, in seconds.
const longestRestart = 300

// replicaSpecs converts the types of replicas that a kind of job has, in this order, and tells of others.
func (c *conversion) replicaSpecs(all *fields, restartPolicy string, kinds ...string) (found []*replicas) {
	for _, key := range all.keys() {
		if !slices.ContainsFunc(kinds, func(kind string) bool { return strings.EqualFold(kind, key) }) {
			all.lose(key, "a job of this kind has no such replicas")
		}
	}
	for _, kind := range kinds {
		for _, key := range all.keys() {
			if strings.EqualFold(kind, key) && all.has(key) {
				if replicasOf(found, kind) != nil {
					all.wrong(all.at(key), "the replicas of type %s come twice", kind)
				}
				found = append(found, c.replica(all.object(key), kind, restartPolicy))
			}
		}
	}
	if len(found) == 0 {
		all.wrong(all.path, "has none of %s", strings.Join(kinds, ", "))
	}
	c.trainingNames(found)
	return found
}

func (c *conversion) replica(of *fields, kind, restartPolicy string) *replicas {
	r := &replicas{fields: of, kind: kind, policy: restartPolicy}
	r.role = newRole(of.path, "", of.numberOr("replicas", 1), of.template("template"))
	c.add(r.role, kind)
	c.trainingWords(r)
	if r.pod.spec()["hostNetwork"] == true && r.pod.specText("dnsPolicy") == "" {
		r.pod.say(r.pod.path+".spec.hostNetwork", "without dnsPolicy: ClusterFirstWithHostNet, a Pod in the network of its node does not know the names of other Pods")
	}
	if said := of.text("restartPolicy"); said != "" {
		r.policy = said
	}
	return r
}

// trainingNames reports where a template names a Pod by its Service alone, as the training operator makes one for each Pod.
func (c *conversion) trainingNames(all []*replicas) {
	for _, of := range all {
		service := stableName(c.sourceName(), strings.ToLower(of.kind)) + "-"
		for _, r := range all {
			if path := pathOf(r.pod.path+".spec", r.pod.source, service); path != "" {
				r.pod.say(path, "a Pod is found as %s, and not as %s0 alone", c.address(of.role, 0), service)
			}
		}
	}
}

// trainingWords has the labels of Pods, also those of earlier versions of the operators.
func (c *conversion) trainingWords(r *replicas) {
	const prefix = "training.kubeflow.org/"
	name, kind, operator := c.sourceName(), strings.ToLower(r.kind), strings.ToLower(c.kind)
	r.gives(asLabel, prefix+"job-name", name, prefix+"replica-type", kind, "job-name", name, "replica-type", kind, "group-name", "kubeflow.org")
	if c.ofMPIOperator() {
		r.gives(asLabel, prefix+"operator-name", "mpi-operator")
	} else {
		r.gives(asLabel, prefix+"operator-name", operator+"-controller")
	}
	older := strings.TrimSuffix(operator, "job")
	r.gives(asLabel, older+"-job-name", name, older+"-replica-type", kind, older+"-replica-index", taskIndex, "group_name", "kubeflow.org")
	r.gives(asLabel, prefix+"replica-index", taskIndex, "replica-index", taskIndex)
	switch role := kind; role {
	case "launcher", "worker":
		if c.kind == "MPIJob" {
			r.gives(asLabel, prefix+"job-role", role)
		}
	case "master", "chief":
		r.gives(asLabel, prefix+"job-role", "master", "job-role", "master")
	}
}

// runPolicy takes what all kinds of jobs have. Pods are tried again so often if it does not say.
func (c *conversion) runPolicy(policy *fields, all []*replicas, byDefault int64) {
	c.suspend = policy.yes("suspend")
	c.managed(policy, "kubeflow.org/training-operator", "kubeflow.org/mpi-operator")
	c.timeToLive(policy)
	keepsPods(policy)
	policy.lose("activeDeadlineSeconds", "a Framework has no time limit; activeDeadlineSeconds in the Pod template is one for each Pod")
	limit, limited := policy.number("backoffLimit")
	if !limited {
		limit = byDefault
	}
	for _, r := range all {
		c.restarts(r, limit)
	}
	if limited && limit > 0 && c.tasks() > 1 && slices.ContainsFunc(all, func(r *replicas) bool { return r.policy != "Never" }) {
		policy.note("backoffLimit", "%d is of all Pods together; here each Task is tried again so often, as maxRetryCount says", limit)
	}
	if !policy.has("schedulingPolicy") {
		policy.skip("schedulingPolicy")
		return
	}
	c.schedulingPolicy(policy.object("schedulingPolicy"))
}

// keepsPods takes which Pods stay when the job has ended.
func keepsPods(policy *fields) {
	if keeps := policy.oneOf("cleanPodPolicy", "", "All", "None", "Running"); keeps == "None" || keeps == "Running" {
		policy.note("cleanPodPolicy", "%s: all Pods go with the attempt; their last words and how they ended are in the status, and their logs are for a log collector", keeps)
	}
}

func (c *conversion) schedulingPolicy(policy *fields) {
	c.gang = &gang{}
	switch least, ok := policy.number("minAvailable"); {
	case ok && least == 0:
		c.gang = nil
		policy.note("minAvailable", "0 Pods have to be placed together, so there is no gang")
	case ok && least < c.tasks():
		c.gang.minTasks = &least
	}
	switch queue := policy.text("queue"); {
	case queue != "":
		c.queue = queue
	case c.queue == "" && c.gang != nil:
		policy.note("queue", "hints-volcano and hints-kueue leave Frameworks without a queue alone: if Volcano schedules it, set scheduling.queue, to default where none is named")
	}
	if class := policy.text("priorityClass"); class != "" {
		c.priorityClass = class
	}
	if seconds, ok := policy.positive("scheduleTimeoutSeconds"); ok {
		c.scheduleTimeout = &seconds
	}
	policy.lose("minResources", "what a gang asks for is what its Pods ask for")
}

// restarts says when a Task is tried again.
func (c *conversion) restarts(r *replicas, limit int64) {
	r.retry.backoff, r.retry.longest = true, longestRestart
	r.pod.neverRestarts()
	switch r.policy {
	case "Never":
	case "OnFailure":
		r.retry.max = limit
		r.note("restartPolicy", "OnFailure restarts a container within its Pod; here each retry is a new Pod, whose emptyDir volumes are empty")
	case "ExitCode":
		r.retry.fancy = true
		r.retry.add(138, limit) // by which a container says there that it wants to be tried again
		r.note("restartPolicy", "ExitCode tries again after each code from 128 on; here the kind of failure decides: codes 130, 131, 137, 143, 200 and Pods that were taken away are tried again without a limit, 138 by its budget, and other signals, a lack of memory and other codes are not; budgets for further codes can be added")
	case "Always":
		r.retry.max = limit
		if spec := r.pod.spec(); spec != nil {
			spec["restartPolicy"] = "Always"
		}
	default:
		r.wrong(r.fields.at("restartPolicy"), "%q is none of Never, OnFailure, ExitCode and Always", r.policy)
	}
}

// replicasOf returns those of a type, nil if there are none.
func replicasOf(all []*replicas, kind string) *replicas {
	for _, r := range all {
		if r.kind == kind {
			return r
		}
	}
	return nil
}

// portOf is the container port of that name, or what it is otherwise.
func (t *template) portOf(name string, otherwise int64) int64 {
	for _, c := range t.containers() {
		ports, _ := c["ports"].([]any)
		for _, port := range ports {
			of, _ := port.(map[string]any)
			if number, ok := of["containerPort"].(int64); ok && of["name"] == name {
				return number
			}
		}
	}
	return otherwise
}
