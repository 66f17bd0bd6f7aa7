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
	mpiRole      = "K_MPI_JOB_ROLE"
	mpiPatience  = "-o ConnectionAttempts=10" // option of ssh, because names may not resolve at first
)

// mpi converts an MPIJob, of the training operator (v1) or the MPI operator (v2beta1).
func (c *conversion) mpi(spec *fields) {
	all := c.replicaSpecs(spec.object("mpiReplicaSpecs"), "Never", "Launcher", "Worker")
	launcher, workers := replicasOf(all, "Launcher"), replicasOf(all, "Worker")
	policy := spec.object("runPolicy")
	retries := int64(unlimited)
	if c.ofMPIOperator() {
		retries = jobBackoffLimit // its launcher is a Job
		if launcher != nil {
			launcher.byJob = true
		}
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
	c.keysIn(spec.at("sshAuthMountPath"), spec.text("sshAuthMountPath")) // as the MPI operator does; the training operator uses kubectl exec
	waits := spec.oneOf("launcherCreationPolicy", "AtStartup", "WaitForWorkersReady") == "WaitForWorkersReady" || !c.ofMPIOperator()
	if launcher == nil {
		spec.wrong(spec.at("mpiReplicaSpecs"), "must have a Launcher")
		return
	}
	launcher.minSucceeded = launcher.tasks
	var hosts []string
	told := c.tellsAll(c.roles...)
	alsoWorks := spec.yes("runLauncherAsWorker")
	if alsoWorks && told {
		hosts = c.addresses(launcher.role)
	}
	if workers != nil && told {
		hosts = append(hosts, c.addresses(workers.role)...)
	}
	if workers != nil {
		mpiWorkers(workers)
		if waits {
			launcher.startsAfter(workers.role, whenReady)
		}
	}
	c.mpiHosts(spec, launcher, hosts, spec.numberOr("slotsPerWorker", mpiPerWorker))
	setEnv(launcher.pod.first(), variable{mpiRole, "launcher"})
	if !alsoWorks {
		setEnv(launcher.pod.first(), variable{"NVIDIA_VISIBLE_DEVICES", ""}, variable{"NVIDIA_DRIVER_CAPABILITIES", ""})
	}
	if main := spec.text("mainContainer"); main != "" && len(launcher.pod.containers()) > 1 {
		spec.note("mainContainer", "dropped, because ssh reaches the container of a worker in which sshd runs, whatever its name")
	}
}

// ofMPIOperator reports whether the object is for the MPI operator rather than the training operator, which always waits for
// workers.
func (c *conversion) ofMPIOperator() bool { return c.version == "kubeflow.org/v2beta1" }

// mpiWorkers makes workers wait for connections.
func mpiWorkers(workers *replicas) {
	setEnv(workers.pod.first(), variable{mpiRole, "worker"})
	for _, first := range workers.pod.first() {
		if first["command"] == nil && first["args"] == nil {
			first["command"] = []any{"/usr/sbin/sshd", "-De"}
			workers.note("template.spec.containers", "the first container of a worker, %v, has no command, so it runs sshd, which its image must contain, as the launcher connects with ssh, not with kubectl exec", first["name"])
		}
	}
}

// mpiScripts are files beside the hostfile that the operators make.
var mpiScripts = map[string]string{
	"discover_hosts.sh": "a Framework has no script that lists the running workers; the barrier provides their addresses as files",
	"kubexec.sh":        "the launcher connects to workers with ssh, not with kubectl exec",
}

// mpiHosts writes the hostfile, and passes its path to the implementation of MPI.
func (c *conversion) mpiHosts(spec *fields, launcher *replicas, hosts []string, slots int64) {
	for _, script := range slices.Sorted(maps.Keys(mpiScripts)) {
		if path := pathOf(launcher.pod.path+".spec", launcher.pod.source, script); path != "" {
			spec.say(path, "%s: %s", script, mpiScripts[script])
		}
	}
	kind := spec.text("mpiImplementation")
	path := mpiFolder + "/" + mpiHostfile
	form, variables := "%s slots=%d", []variable{{"OMPI_MCA_orte_default_hostfile", path}, {"OMPI_MCA_orte_keep_fqdn_hostnames", "true"},
		{"OMPI_MCA_plm_rsh_args", mpiPatience}, {"OMPI_MCA_orte_set_default_slots", fmt.Sprint(slots)}}
	switch kind {
	case "", "OpenMPI":
	case "Intel":
		form, variables = "%s:%d", []variable{{"I_MPI_HYDRA_HOST_FILE", path}, {"I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", mpiPatience}, {"I_MPI_PERHOST", fmt.Sprint(slots)}}
	case "MPICH":
		form, variables = "%s:%d", []variable{{"HYDRA_HOST_FILE", path}, {"HYDRA_LAUNCH_EXTRA_ARGS", mpiPatience}}
	default:
		spec.wrong(spec.at("mpiImplementation"), "%q is not one of OpenMPI, Intel and MPICH", kind)
	}
	var lines []string
	for _, host := range hosts {
		lines = append(lines, fmt.Sprintf(form, host, slots))
	}
	main := launcher.pod.first()
	setEnv(main, variables...)
	launcher.pod.files(main, "mpi-hosts", mpiFolder, variable{mpiHostfile, strings.Join(lines, "\n") + "\n"})
}
