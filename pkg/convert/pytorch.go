package convert

import (
	"fmt"
	"strconv"
	"strings"
)

const torchPortNumber = 23456

// pyTorch converts a PyTorchJob.
func (c *conversion) pyTorch(spec *fields) {
	all := c.replicaSpecs(spec.object("pytorchReplicaSpecs"), "OnFailure", "Master", "Worker")
	c.runPolicy(spec.object("runPolicy"), all, unlimited)
	c.network, c.publishesNotReady = true, true
	processes := spec.text("nprocPerNode")
	if processes == "" {
		processes = "auto"
	}
	master, workers := replicasOf(all, "Master"), replicasOf(all, "Worker")
	switch {
	case master != nil:
		master.minSucceeded = master.tasks
	case workers != nil:
		workers.minSucceeded = workers.tasks
	}
	variables := c.torchVariables(master, processes)
	if spec.has("elasticPolicy") {
		variables = append(c.elastic(spec.object("elasticPolicy"), workers), variables...)
	}
	spec.skip("elasticPolicy")
	for _, r := range all {
		setEnv(r.pod.containers(), variables...)
	}
}

// torchVariables are the variables by which processes find each other.
func (c *conversion) torchVariables(master *replicas, processes string) []variable {
	variables := []variable{{"PYTHONUNBUFFERED", "1"}, {"PET_NPROC_PER_NODE", processes}}
	if master == nil {
		return variables
	}
	size := c.tasks()
	if n, err := strconv.ParseInt(processes, 10, 64); err == nil {
		size *= n
	}
	address, port := c.address(master.role, 0), fmt.Sprint(master.pod.portOf("pytorchjob-port", torchPortNumber))
	return append(variables, variable{"MASTER_ADDR", address}, variable{"PET_MASTER_ADDR", address},
		variable{"MASTER_PORT", port}, variable{"PET_MASTER_PORT", port}, variable{"WORLD_SIZE", fmt.Sprint(size)}, variable{"RANK", "$(FC_TASK_RANK)"},
		variable{"PET_NODE_RANK", "$(FC_TASK_RANK)"}, variable{"PET_NNODES", fmt.Sprint(c.tasks())})
}

// elastic takes the elastic settings of torchrun.
func (c *conversion) elastic(policy *fields, workers *replicas) (variables []variable) {
	least, fewer := policy.number("minReplicas")
	most, more := policy.number("maxReplicas")
	if workers != nil {
		if !fewer {
			least = workers.tasks
		}
		if !more {
			most = workers.tasks
		}
	}
	host, port := policy.text("rdzvHost"), policy.numberOr("rdzvPort", torchPortNumber)
	if host == "" && workers != nil {
		host = c.address(workers.role, 0)
	}
	id := policy.text("rdzvId")
	if id == "" {
		id = c.ownName()
	}
	backend := policy.text("rdzvBackend")
	if backend == "" {
		backend = "c10d"
	}
	if backend == "c10d" && policy.text("rdzvHost") == "" && workers != nil {
		policy.note("rdzvBackend", "old versions of torch, such as 1.13, do not detect that worker 0 is the host: start the command in a shell, after export PET_RDZV_CONF=is_host=$((FC_TASK_INDEX == 0))")
	}
	variables = []variable{{"PET_RDZV_BACKEND", backend}, {"PET_RDZV_ENDPOINT", fmt.Sprintf("%s:%d", host, port)}, {"PET_RDZV_ID", id},
		{"PET_NNODES", fmt.Sprintf("%d:%d", least, most)}}
	if restarts, ok := policy.number("maxRestarts"); ok {
		variables = append(variables, variable{"PET_MAX_RESTARTS", fmt.Sprint(restarts)})
	}
	if processes, ok := policy.number("nProcPerNode"); ok {
		variables = append(variables, variable{"PET_NPROC_PER_NODE", fmt.Sprint(processes)})
	}
	if policy.yes("standalone") {
		variables = append(variables, variable{"PET_STANDALONE", ""})
	}
	var settings []string
	for _, setting := range policy.objects("rdzvConf") {
		settings = append(settings, setting.text("key")+"="+setting.text("value"))
	}
	if len(settings) > 0 {
		variables = append(variables, variable{"PET_RDZV_CONF", strings.Join(settings, ",")})
	}
	policy.lose("metrics", "nothing scales a Framework automatically: change taskNumber, for example with kubectl framework scale")
	if fewer || more {
		policy.note("minReplicas", "from %d to %d workers: the operator scales them automatically; change taskNumber of the Framework at any time with kubectl framework scale", least, most)
	}
	return variables
}
