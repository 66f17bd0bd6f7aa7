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
	byJob  bool   // the operator has a Job create the Pods, which retries them whatever the policy
}

// longestRestart is between two restarts of a container by the kubelet, in seconds.
const longestRestart = 300

// replicaSpecs converts the types of replicas that a kind of job has, in this order, and reports others.
func (c *conversion) replicaSpecs(all *fields, restartPolicy string, kinds ...string) (found []*replicas) {
	for _, key := range all.keys() {
		if !slices.ContainsFunc(kinds, func(kind string) bool { return strings.EqualFold(kind, key) }) {
			all.lose(key, "dropped, because a job of this kind has no such replicas")
		}
	}
	for _, kind := range kinds {
		for _, key := range all.keys() {
			if strings.EqualFold(kind, key) && all.has(key) {
				if replicasOf(found, kind) != nil {
					all.wrong(all.at(key), "the replica type %s occurs twice", kind)
				}
				found = append(found, c.replica(all.object(key), kind, restartPolicy))
			}
		}
	}
	if len(found) == 0 {
		all.wrong(all.path, "must have at least one of %s", strings.Join(kinds, ", "))
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
		r.pod.say(r.pod.path+".spec.hostNetwork", "without dnsPolicy: ClusterFirstWithHostNet, a Pod with hostNetwork cannot resolve the names of other Pods")
	}
	if said := of.text("restartPolicy"); said != "" {
		r.policy = said
	}
	return r
}

// trainingNames reports where a template uses the Service of a single Pod as its name, as the training operator makes one for
// each Pod.
func (c *conversion) trainingNames(all []*replicas) {
	for _, of := range all {
		service := stableName(c.sourceName(), strings.ToLower(of.kind)) + "-"
		for _, r := range all {
			if path := pathOf(r.pod.path+".spec", r.pod.source, service); path != "" {
				r.pod.say(path, "the name of a Pod in DNS is %s, not %s0 alone", c.address(of.role, 0), service)
			}
		}
	}
}

// trainingWords sets the labels of Pods, including those of earlier versions of the operators.
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

// runPolicy takes the fields that all kinds of jobs share. byDefault is the default number of retries.
func (c *conversion) runPolicy(policy *fields, all []*replicas, byDefault int64) {
	c.suspends(policy)
	c.managed(policy, "kubeflow.org/training-operator", "kubeflow.org/mpi-operator")
	c.timeToLive(policy)
	keepsPods(policy)
	c.timeLimit(policy)
	limit, limited := policy.number("backoffLimit")
	if !limited {
		limit = byDefault
	}
	for _, r := range all {
		c.restarts(r, limit)
	}
	retried := slices.ContainsFunc(all, func(r *replicas) bool { return r.policy != "Never" || r.byJob })
	switch {
	case !limited || limit == 0:
	case !retried:
		policy.note("backoffLimit", "dropped, because restartPolicy Never allows no retries")
	case c.tasks() > 1:
		policy.note("backoffLimit", "%d limits the retries of all Pods together; the Framework allows each Task this number of retries, by maxRetryCount", limit)
	}
	if !policy.has("schedulingPolicy") {
		policy.skip("schedulingPolicy")
		return
	}
	c.schedulingPolicy(policy.object("schedulingPolicy"))
}

// keepsPods takes which Pods stay after the end of the job.
func keepsPods(policy *fields) {
	if keeps := policy.oneOf("cleanPodPolicy", "", "All", "None", "Running"); keeps == "None" || keeps == "Running" {
		policy.note("cleanPodPolicy", "%s: all Pods are deleted when the attempt ends. The status keeps exit codes and termination messages; keep logs with a log collector", keeps)
	}
}

func (c *conversion) schedulingPolicy(policy *fields) {
	c.gang = &gang{}
	switch least, ok := policy.number("minAvailable"); {
	case ok && least == 0:
		c.gang = nil
		policy.note("minAvailable", "no Pods have to be placed together, so the Framework has no gang")
	case ok && least < c.tasks():
		c.gang.minTasks = &least
	}
	c.setQueue(policy.at("queue"), policy.text("queue"))
	if c.queue.value == "" && c.gang != nil {
		policy.note("queue", "hints-volcano and hints-kueue ignore Frameworks without a queue: if Volcano is the scheduler, set scheduling.queue, for example to default")
	}
	c.setPriorityClass(policy.at("priorityClass"), policy.text("priorityClass"))
	if seconds, ok := policy.positive("scheduleTimeoutSeconds"); ok {
		c.scheduleTimeout = &seconds
	}
	policy.lose("minResources", "dropped, because a gang requests the sum of the requests of its Pods")
}

// restarts takes when a Task is retried.
func (c *conversion) restarts(r *replicas, limit int64) {
	r.retry.backoff, r.retry.longest = true, longestRestart
	r.pod.neverRestarts()
	switch r.policy {
	case "Never":
		if r.byJob {
			r.retry.max = limit
		}
	case "OnFailure":
		r.retry.max = limit
		r.note("restartPolicy", "OnFailure restarts a container within its Pod; each retry of a Task is a new Pod with empty emptyDir volumes")
	case "ExitCode":
		r.retry.fancy = true
		r.retry.add(138, limit) // in the source, a container exits with this code to ask for a retry
		r.note("restartPolicy", "ExitCode retries every exit code from 128 on; fancyRetryPolicy decides by the kind of failure: codes 130, 131, 137, 143, 200 and evicted or deleted Pods are retried without a limit, 138 up to its budget, and other signals, out-of-memory kills and other codes are not retried. Add budgets for further codes")
	case "Always":
		r.retry.max = limit
		if spec := r.pod.spec(); spec != nil {
			spec["restartPolicy"] = "Always"
		}
	default:
		r.wrong(r.fields.at("restartPolicy"), "%q is not one of Never, OnFailure, ExitCode and Always", r.policy)
	}
}

// replicasOf returns the replicas of a type, or nil.
func replicasOf(all []*replicas, kind string) *replicas {
	for _, r := range all {
		if r.kind == kind {
			return r
		}
	}
	return nil
}

// portOf returns the container port of that name, or the given default.
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
