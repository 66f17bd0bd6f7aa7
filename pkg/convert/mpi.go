package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	mpiFolder    = "/etc/mpi"
	mpiHostfile  = "hostfile"
	mpiPerWorker = 1
)

// mpi converts an MPIJob, of the training operator (v1) or the MPI operator (v2beta1).
func (c *conversion) mpi(spec *fields) {
	all := c.replicaSpecs(spec.object("mpiReplicaSpecs"), "Never", "Launcher", "Worker")
	launcher, workers := replicasOf(all, "Launcher"), replicasOf(all, "Worker")
	policy := spec.object("runPolicy")
	retries := int64(unlimited)
	if c.ofMPIOperator() {
		retries = jobBackoffLimit // its launcher is a Job
		if launcher != nil && !launcher.has("restartPolicy") {
			launcher.policy = "OnFailure"
		}
	}
	c.runPolicy(policy, all, retries)
	if !policy.has("cleanPodPolicy") {
		keepsPods(spec)
	}
	spec.skip("cleanPodPolicy")
	c.network, c.publishesNotReady = true, true
	c.mpiShell(spec)
	if launcher == nil {
		spec.wrong(spec.at("mpiReplicaSpecs"), "has no Launcher")
		return
	}
	launcher.minSucceeded = launcher.tasks
	var hosts []string
	told := c.tellsAll(c.roles...)
	if spec.yes("runLauncherAsWorker") && told {
		hosts = c.addresses(launcher.role)
	}
	if workers != nil && told {
		hosts = append(hosts, c.addresses(workers.role)...)
	}
	if workers != nil {
		c.mpiWorkers(spec, launcher, workers)
	}
	c.mpiHosts(spec, launcher, hosts, spec.numberOr("slotsPerWorker", mpiPerWorker))
	if main := spec.text("mainContainer"); main != "" && len(launcher.pod.containers()) > 1 {
		spec.note("mainContainer", "ssh comes to the container of a worker in which sshd runs, whatever its name")
	}
}

// ofMPIOperator reports whether it is the MPI operator's, and not the training operator's, which always waits for workers.
func (c *conversion) ofMPIOperator() bool { return c.version == "kubeflow.org/v2beta1" }

// mpiShell takes how the launcher gets to the workers: with ssh, as the MPI operator does, and not with kubectl exec, as the training operator does.
func (c *conversion) mpiShell(spec *fields) {
	c.ssh, c.sshPath = true, spec.text("sshAuthMountPath")
	if c.sshPath == "" {
		c.sshPath = sshFolder
	}
}

// mpiWorkers has workers wait for connections, and the launcher for workers.
func (c *conversion) mpiWorkers(spec *fields, launcher, workers *replicas) {
	for _, first := range workers.pod.first() {
		if first["command"] == nil && first["args"] == nil {
			first["command"] = []any{"/usr/sbin/sshd", "-De"}
			workers.note("template.spec.containers", "without a command, the first container of a worker, %v, runs sshd, which its image must have: the launcher reaches it with ssh, and not with kubectl exec", first["name"])
		}
	}
	if spec.oneOf("launcherCreationPolicy", "AtStartup", "WaitForWorkersReady") == "WaitForWorkersReady" || !c.ofMPIOperator() {
		launcher.startsAfter(workers.role, whenReady)
	}
}

// mpiScripts are files beside the hostfile that the operators make.
var mpiScripts = map[string]string{
	"discover_hosts.sh": "there is no script that lists the workers that run now; the barrier has their addresses as files",
	"kubexec.sh":        "the launcher reaches workers with ssh, and not with kubectl exec",
}

// mpiHosts writes the hostfile, and names it to the implementation of MPI.
func (c *conversion) mpiHosts(spec *fields, launcher *replicas, hosts []string, slots int64) {
	for _, script := range slices.Sorted(maps.Keys(mpiScripts)) {
		if path := pathOf(launcher.pod.path+".spec", launcher.pod.source, script); path != "" {
			spec.say(path, "%s: %s", script, mpiScripts[script])
		}
	}
	kind := spec.text("mpiImplementation")
	path := mpiFolder + "/" + mpiHostfile
	form, variables := "%s slots=%d", []variable{{"OMPI_MCA_orte_default_hostfile", path}, {"OMPI_MCA_orte_keep_fqdn_hostnames", "true"}, {"OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"}}
	switch kind {
	case "", "OpenMPI":
	case "Intel":
		form, variables = "%s:%d", []variable{{"I_MPI_HYDRA_HOST_FILE", path}, {"I_MPI_PERHOST", fmt.Sprint(slots)}}
	case "MPICH":
		form, variables = "%s:%d", []variable{{"HYDRA_HOST_FILE", path}}
	default:
		spec.wrong(spec.at("mpiImplementation"), "%q is none of OpenMPI, Intel and MPICH", kind)
	}
	var lines []string
	for _, host := range hosts {
		lines = append(lines, fmt.Sprintf(form, host, slots))
	}
	main := launcher.pod.first()
	setEnv(main, variables...)
	launcher.pod.files(main, "mpi-hosts", mpiFolder, variable{mpiHostfile, strings.Join(lines, "\n") + "\n"})
}
