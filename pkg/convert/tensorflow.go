package convert

import (
	"encoding/json"
	"fmt"
	"strings"
)

// member is a role in a TensorFlow cluster.
type member struct {
	kind string
	*role
}

// tensorFlow converts a TFJob.
func (c *conversion) tensorFlow(spec *fields) {
	all := c.replicaSpecs(spec.object("tfReplicaSpecs"), "Never", "Chief", "Master", "PS", "Worker", "Evaluator")
	c.runPolicy(spec.object("runPolicy"), all, unlimited)
	c.network, c.publishesNotReady = true, true
	c.tensorFlowSuccess(spec, all)
	if spec.yes("enableDynamicWorker") {
		spec.note("enableDynamicWorker", "TF_CONFIG lists the workers of this file; after a rescale, it stays the same in all Pods")
	}
	var members []member
	for _, r := range all {
		members = append(members, member{strings.ToLower(r.kind), r.role})
	}
	port := fmt.Sprint(replicaList(all).port())
	if c.tasks() != 1 { // the operator sets nothing about a cluster for a single process
		c.tensorFlowConfig(members, port)
	}
}

type replicaList []*replicas

// port returns the port on which all listen, as set in the first one.
func (l replicaList) port() int64 {
	for _, r := range l {
		return r.pod.portOf("tfjob-port", 2222)
	}
	return 2222
}

// tensorFlowSuccess takes the deciding role: the chief, if there is one, or else worker 0, or all workers.
func (c *conversion) tensorFlowSuccess(spec *fields, all []*replicas) {
	policy := spec.oneOf("successPolicy", "", "AllWorkers")
	workers := replicasOf(all, "Worker")
	chief := replicasOf(all, "Chief")
	if chief == nil {
		chief = replicasOf(all, "Master")
	}
	switch {
	case chief != nil:
		chief.minSucceeded = chief.tasks
	case workers == nil:
	default:
		workers.minSucceeded = workers.tasks
		if policy != "AllWorkers" && workers.tasks > 1 {
			workers.note("replicas", "without a chief, a TFJob succeeds when worker 0 does; the Framework succeeds when all %d workers do. With the plugin completion-leader, worker 0 decides", workers.tasks)
		}
	}
}

// tensorFlowConfig passes the members of the cluster to each member. An evaluator gets the list, but is not in it.
func (c *conversion) tensorFlowConfig(members []member, port string) {
	cluster := map[string][]string{}
	if !c.tellsAll(c.roles...) {
		return
	}
	for _, m := range members {
		if m.kind == "evaluator" {
			continue
		}
		for _, address := range c.addresses(m.role) {
			cluster[m.kind] = append(cluster[m.kind], address+":"+port)
		}
	}
	of, _ := json.Marshal(cluster) // texts always marshal
	for _, m := range members {
		setEnv(m.pod.containers(), variable{"TF_CONFIG", fmt.Sprintf(`{"cluster":%s,"task":{"type":%q,"index":%s},"environment":"cloud"}`, of, m.kind, taskIndex)})
	}
}
