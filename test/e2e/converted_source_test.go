package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// source is an object of another system, with the fields that determine the Pods of its controller. It is parsed here separately, so that
// the converter is not compared with itself.
type source struct {
	APIVersion string
	Kind       string
	Metadata   struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		sourceJob
		Suspend             bool
		RunPolicy           struct{ Suspend bool }
		ReplicatedJobs      []sourceReplicated
		Network             struct{ EnableDNSHostnames *bool }
		Tasks               []sourceTask
		Plugins             map[string][]string
		Queue               string
		Volumes             []struct{ MountPath, VolumeClaimName string }
		NprocPerNode        string
		SlotsPerWorker      int
		PytorchReplicaSpecs map[string]sourceReplicas
		TFReplicaSpecs      map[string]sourceReplicas
		MPIReplicaSpecs     map[string]sourceReplicas
		MPIImplementation   string
		RunLauncherAsWorker bool
		VolumeClaimPolicies []struct {
			Templates []struct{ Metadata struct{ Name string } }
		}
	}
}

type sourceJob struct {
	Completions, Parallelism *int
	CompletionMode           string
	Template                 corev1.PodTemplateSpec
}

type sourceReplicated struct {
	Name      string
	Replicas  *int
	DependsOn []struct{ Name, Status string }
	Template  struct{ Spec sourceJob }
}

type sourceTask struct {
	Name     string
	Replicas int
	Template corev1.PodTemplateSpec
}

type sourceReplicas struct {
	Replicas *int
	Template corev1.PodTemplateSpec
}

// sourcePod is a Pod that the source's controller would make.
type sourcePod struct {
	role, index int
	template    corev1.PodTemplateSpec
	given       map[string]string // labels and annotations by the controller
	hostname    string            // empty if other Pods cannot find it by hostname
	env         map[string]string // environment of all containers; values are patterns
	firstEnv    map[string]string // environment of the first container alone
	claims      map[string]string // by the folder in all containers
	files       map[string]string // of all containers, by their paths
	firstFiles  map[string]string // of the first container alone, with places of Pods in place of their addresses
	dnsPolicy   corev1.DNSPolicy
}

func readSource(t *testing.T, object map[string]any) *source {
	t.Helper()
	text, err := json.Marshal(object)
	require.NoError(t, err)
	var s source
	require.NoError(t, json.Unmarshal(text, &s))
	return &s
}

// pods are all that the source's controller makes, role by role.
func (s *source) pods() []*sourcePod {
	switch {
	case s.Kind == "JobSet":
		return s.jobSetPods()
	case s.Kind == "PyTorchJob":
		return s.trainingPods(s.Spec.PytorchReplicaSpecs, "Master", "Worker")
	case s.Kind == "TFJob":
		return s.trainingPods(s.Spec.TFReplicaSpecs, "Chief", "PS", "Worker", "Evaluator")
	case s.Kind == "MPIJob":
		return s.mpiPods()
	case strings.HasPrefix(s.APIVersion, "batch.volcano.sh/"):
		return s.volcanoPods()
	}
	return s.jobPods()
}

// held reports whether no Pod runs until the user resumes the object. An object in a queue of Kueue is resumed by Kueue, and never by its
// user.
func (s *source) held() bool {
	byField := (s.Spec.Suspend || s.Spec.RunPolicy.Suspend) && s.Metadata.Labels["kueue.x-k8s.io/queue-name"] == ""
	return byField || s.Spec.Parallelism != nil && *s.Spec.Parallelism == 0
}

func orOne(n *int) int {
	if n == nil {
		return 1
	}
	return *n
}

func (j *sourceJob) size() int {
	if j.Completions != nil {
		return *j.Completions
	}
	return orOne(j.Parallelism)
}

// limited returns how many of a number of Pods a Job runs at once. A suspended Job does not set it.
func (j *sourceJob) limited(pods int) int {
	if j.Completions == nil || orOne(j.Parallelism) == 0 {
		return pods
	}
	return min(pods, orOne(j.Parallelism))
}

// atOnce returns how many of a number of Pods of a role the source runs at once at most.
func (s *source) atOnce(role, pods int) int {
	switch s.Kind {
	case "Job":
		if strings.HasPrefix(s.APIVersion, "batch/") {
			return s.Spec.limited(pods)
		}
	case "JobSet":
		for _, r := range s.Spec.ReplicatedJobs {
			roles := orOne(r.Replicas)
			if r.Template.Spec.size() == 1 {
				roles = 1
			}
			if role < roles && r.Template.Spec.size() == 1 {
				return pods
			}
			if role < roles {
				return r.Template.Spec.limited(pods)
			}
			role -= roles
		}
	}
	return pods
}

func (s *source) jobPods() (all []*sourcePod) {
	for i := range s.Spec.size() {
		p := &sourcePod{index: i, template: s.Spec.Template, given: map[string]string{"job-name": s.Metadata.Name, "batch.kubernetes.io/job-name": s.Metadata.Name}}
		if s.Spec.CompletionMode == "Indexed" {
			p.hostname = fmt.Sprintf("%s-%d", s.Metadata.Name, i)
			p.env = map[string]string{"JOB_COMPLETION_INDEX": fmt.Sprint(i)}
			p.given["batch.kubernetes.io/job-completion-index"] = fmt.Sprint(i)
		}
		all = append(all, p)
	}
	return all
}

func (s *source) jobSetPods() (all []*sourcePod) {
	roles := 0
	for _, r := range s.Spec.ReplicatedJobs {
		size, jobs := r.Template.Spec.size(), orOne(r.Replicas)
		for job := range jobs {
			for i := range size {
				p := &sourcePod{role: roles, index: i, template: s.withClaims(&r.Template.Spec.Template), given: map[string]string{
					"jobset.sigs.k8s.io/jobset-name": s.Metadata.Name, "jobset.sigs.k8s.io/replicatedjob-name": r.Name,
					"jobset.sigs.k8s.io/job-index": fmt.Sprint(job), "jobset.sigs.k8s.io/replicatedjob-replicas": fmt.Sprint(jobs),
				}}
				if size == 1 {
					p.index = job
				}
				if s.Spec.Network.EnableDNSHostnames == nil || *s.Spec.Network.EnableDNSHostnames {
					p.hostname = fmt.Sprintf("%s-%s-%d-%d", s.Metadata.Name, r.Name, job, i)
				}
				if r.Template.Spec.CompletionMode != "NonIndexed" {
					p.env = map[string]string{"JOB_COMPLETION_INDEX": fmt.Sprint(i)}
				}
				all = append(all, p)
			}
			if size > 1 {
				roles++ // a Task has one index only
			}
		}
		if size == 1 {
			roles++
		}
	}
	return all
}

func (s *source) volcanoPods() (all []*sourcePod) {
	_, svc := s.Spec.Plugins["svc"]
	_, env := s.Spec.Plugins["env"]
	_, torch := s.Spec.Plugins["pytorch"]
	svc = svc || torch // added by Volcano's admission
	total := 0
	for role, task := range s.Spec.Tasks {
		for i := range task.Replicas {
			p := &sourcePod{role: role, index: i, template: task.Template, env: map[string]string{}, claims: map[string]string{}, files: map[string]string{}, given: map[string]string{
				"volcano.sh/job-name": s.Metadata.Name, "volcano.sh/task-spec": task.Name, "volcano.sh/task-index": fmt.Sprint(i),
				"volcano.sh/queue-name": cmp.Or(s.Spec.Queue, "default"),
			}}
			if svc {
				p.hostname = fmt.Sprintf("%s-%s-%d", s.Metadata.Name, task.Name, i)
				for _, other := range s.Spec.Tasks {
					name := "VC_" + strings.ToUpper(strings.ReplaceAll(other.Name, "-", "_"))
					var hosts []string
					for k := range other.Replicas {
						hosts = append(hosts, fmt.Sprintf("%s-%s-%d.%s", s.Metadata.Name, other.Name, k, s.Metadata.Name))
					}
					p.env[name+"_HOSTS"], p.env[name+"_NUM"] = regexp.QuoteMeta(strings.Join(hosts, ",")), fmt.Sprint(other.Replicas)
					p.files["/etc/volcano/"+strings.ReplaceAll(other.Name, "-", "_")+".host"] = strings.Join(hosts, "\n")
				}
			}
			if env {
				p.env["VC_TASK_INDEX"], p.env["VK_TASK_INDEX"] = fmt.Sprint(i), fmt.Sprint(i)
			}
			if torch {
				master := "master"
				for _, argument := range s.Spec.Plugins["pytorch"] {
					if name, isMaster := strings.CutPrefix(argument, "--master="); isMaster {
						master = name
					}
				}
				p.env["MASTER_ADDR"], p.env["MASTER_PORT"] = `.*-`+master+`-0\..*`, "23456"
				p.env["RANK"] = fmt.Sprint(total)
			}
			for _, v := range s.Spec.Volumes {
				p.claims[v.MountPath] = v.VolumeClaimName
			}
			if task.Template.Spec.HostNetwork && task.Template.Spec.DNSPolicy == "" {
				p.dnsPolicy = corev1.DNSClusterFirstWithHostNet // set by Volcano's admission
			}
			all = append(all, p)
			total++
		}
	}
	return all
}

// trainingPods returns the Pods of the training operator, whose roles are in this order.
func (s *source) trainingPods(specs map[string]sourceReplicas, kinds ...string) (all []*sourcePod) {
	total := 0
	for _, replicas := range specs {
		total += orOne(replicas.Replicas)
	}
	role := 0
	for _, kind := range kinds {
		replicas, ok := specs[kind]
		if !ok {
			continue
		}
		for i := range orOne(replicas.Replicas) {
			p := &sourcePod{role: role, index: i, template: replicas.Template, env: map[string]string{}, given: s.trainingLabels(kind, i)}
			if _, hasMaster := specs["Master"]; hasMaster {
				p.env["MASTER_ADDR"], p.env["RANK"] = `.*-master-0\..*`, fmt.Sprint(len(all))
				if s.Spec.NprocPerNode == "" {
					p.env["WORLD_SIZE"] = fmt.Sprint(total)
				}
			}
			if s.Kind == "TFJob" && total > 1 {
				p.env["TF_CONFIG"] = fmt.Sprintf(`.*"task":\{"type":"%s","index":%d\}.*`, strings.ToLower(kind), i)
			}
			all = append(all, p)
		}
		role++
	}
	return all
}

func (s *source) trainingLabels(kind string, index int) map[string]string {
	kind = strings.ToLower(kind)
	return map[string]string{
		"training.kubeflow.org/job-name": s.Metadata.Name, "training.kubeflow.org/replica-type": kind, "training.kubeflow.org/replica-index": fmt.Sprint(index),
		"tf-job-name": s.Metadata.Name, "tf-replica-type": kind, // earlier versions
	}
}

func (s *source) mpiPods() []*sourcePod {
	all := s.trainingPods(s.Spec.MPIReplicaSpecs, "Launcher", "Worker")
	for _, p := range all {
		kind := map[int]string{0: "launcher", 1: "worker"}[p.role]
		p.given["training.kubeflow.org/job-role"] = kind
		p.firstEnv = map[string]string{"K_MPI_JOB_ROLE": kind}
		if p.role != 0 {
			continue
		}
		p.firstFiles = map[string]string{"/etc/mpi/hostfile": s.hostfile(len(all) - 1)}
		slots := fmt.Sprint(max(s.Spec.SlotsPerWorker, 1))
		switch hosts, patience := "/etc/mpi/hostfile", "-o ConnectionAttempts=10"; s.Spec.MPIImplementation {
		case "Intel":
			maps.Copy(p.firstEnv, map[string]string{"I_MPI_HYDRA_HOST_FILE": hosts, "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": patience, "I_MPI_PERHOST": slots})
		case "MPICH":
			maps.Copy(p.firstEnv, map[string]string{"HYDRA_HOST_FILE": hosts, "HYDRA_LAUNCH_EXTRA_ARGS": patience})
		default:
			maps.Copy(p.firstEnv, map[string]string{"OMPI_MCA_orte_default_hostfile": hosts, "OMPI_MCA_plm_rsh_args": patience, "OMPI_MCA_orte_set_default_slots": slots})
		}
	}
	return all
}

// first are the roles that end before others begin.
func (s *source) first() map[int]bool {
	first := map[int]bool{}
	for _, r := range s.Spec.ReplicatedJobs {
		for _, on := range r.DependsOn {
			for i, earlier := range s.Spec.ReplicatedJobs {
				if earlier.Name == on.Name && on.Status == "Complete" {
					first[i] = true
				}
			}
		}
	}
	return first
}

// selected returns the labels by which a template selects Pods or identifies them, and which the controller has added.
func (p *sourcePod) selected() map[string]string {
	text, _ := json.Marshal(p.template.Spec)
	found := map[string]string{}
	for key, value := range maps.All(p.given) {
		if strings.Contains(string(text), `"`+key+`"`) || strings.Contains(string(text), "['"+key+"']") {
			found[key] = value
		}
	}
	return found
}
