package e2e

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// parameterServer is how training with parameter servers ends: when the workers are done.
const parameterServer = `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
ps-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
ps-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`

// trainingExamples are the barrier, and distributed training with and without it.
var trainingExamples = []example{
	{
		name: "frameworkbarrier",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=(server|worker)-\d
(server-\d Completed retried=0/0 code=0 Succeeded
){10}(worker-\d Completed retried=0/0 code=0 Succeeded
?){10}`,
		pods: 20,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireBarrier("frameworkbarrier", pods, 2)
		},
	},
	{
		name: "startorder",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=launcher-0
fetch-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
launcher-0 Completed retried=0/0 code=0 Succeeded`,
		pods: 4,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireBarrier("startorder", map[string]*corev1.Pod{"startorder-launcher-0": pods["startorder-launcher-0"]}, 1)
			fetched := pods["startorder-fetch-0"].CreationTimestamp
			for name, pod := range pods {
				if name != "startorder-fetch-0" && !fetched.Before(&pod.CreationTimestamp) {
					s.t.Errorf("Pod %s was created at %s, and the first at %s", name, pod.CreationTimestamp, fetched)
				}
			}
		},
	},
	{
		name:  "parameterserver",
		want:  parameterServer,
		pods:  5,
		check: func(s *story, pods map[string]*corev1.Pod) { s.requireBarrier("parameterserver", pods, 1) },
	},
	{
		name:  "tensorflowpscpu",
		want:  parameterServer,
		pods:  5,
		check: func(s *story, pods map[string]*corev1.Pod) { s.requireParameterServer("tensorflowpscpu", pods, "") },
	},
	{
		name: "tensorflowpsgpu",
		want: parameterServer,
		pods: 5,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireParameterServer("tensorflowpsgpu", pods, "nvidia.com/gpu")
		},
	},
	{
		name: "tensorflowpshived",
		play: hivedPlacesWorkers,
		want: parameterServer,
		pods: 5,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireParameterServer("tensorflowpshived", pods, hived+"pod-scheduling-enable")
			s.requireHived(pods)
		},
	},
	{
		name: "gangvolcano",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=(chief|worker)-\d
chief-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`,
		pods: 4,
	},
	{
		name: "gangkueue",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=(chief|worker)-\d
chief-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`,
		pods: 4,
	},
	{
		name: "tensorflowmultiworkermirrored",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`,
		pods: 3,
		reach: `
worker-0.tensorflowmultiworkermirrored:2222 tensorflowmultiworkermirrored-worker-0
worker-1.tensorflowmultiworkermirrored:2222 tensorflowmultiworkermirrored-worker-1
worker-2.tensorflowmultiworkermirrored:2222 tensorflowmultiworkermirrored-worker-2`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireTFConfig(pods, "tensorflowmultiworkermirrored", map[string][]string{"worker": {
				"worker-0.tensorflowmultiworkermirrored:2222",
				"worker-1.tensorflowmultiworkermirrored:2222",
				"worker-2.tensorflowmultiworkermirrored:2222",
			}})
		},
	},
	{
		name: "horovod",
		before: func(s *story) {
			s.kubectl("create", "secret", "generic", "horovod-ssh", "--from-literal=id_ed25519=private", "--from-literal=authorized_keys=public")
		},
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=launcher-0
launcher-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-3 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods: 5,
		reach: `
worker-0.horovod horovod-worker-0
worker-1.horovod horovod-worker-1
worker-2.horovod horovod-worker-2
worker-3.horovod horovod-worker-3`,
		check: launcherKnowsWorkers,
	},
	{
		name: "mpi",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=launcher-0
launcher-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods: 3,
		reach: `
mpi-worker-0.mpi mpi-worker-0
mpi-worker-1.mpi mpi-worker-1`,
		check: func(s *story, pods map[string]*corev1.Pod) { s.requireNamesAndKeys("mpi", pods) },
	},
	{
		name: "deepspeed",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=launcher-0
launcher-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods: 3,
		reach: `
deepspeed-worker-0.deepspeed deepspeed-worker-0
deepspeed-worker-1.deepspeed deepspeed-worker-1`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireNamesAndKeys("deepspeed", pods)
			s.requireKnows(pods["deepspeed-launcher-0"], "MASTER=deepspeed-worker-0.deepspeed", "FC_TASK_COUNT_worker=2")
		},
	},
	{
		name: "torchrun",
		play: func(s *story) {
			s.awaitAllRunning("torchrun", 3)
			s.deletePod("torchrun-worker-1")
			s.allStartAgainAndSucceed("torchrun", "worker", 3)
		},
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
worker-0 Completed retried=1/0 code=0 Succeeded
worker-1 Completed retried=1/0 code=0 Succeeded
worker-2 Completed retried=1/0 code=0 Succeeded`,
		pods:  6,
		reach: `torchrun-worker-0.torchrun:29400 torchrun-worker-0`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireKnows(pods["torchrun-worker-2"], "RENDEZVOUS=torchrun-worker-0.torchrun:29400", "FC_TASK_COUNT_worker=3")
		},
	},
	{
		name: "jax",
		play: func(s *story) {
			s.awaitAllRunning("jax", 2)
			s.endPod("jax-process-1", 1)
			s.allStartAgainAndSucceed("jax", "process", 2)
		},
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=process-\d
process-0 Completed retried=1/0 code=0 Succeeded
process-1 Completed retried=1/1 code=0 Succeeded`,
		pods:  4,
		reach: `jax-process-0.jax:1234 jax-process-0`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireKnows(pods["jax-process-1"], "COORDINATOR=jax-process-0.jax:1234", "FC_TASK_COUNT=2", "FC_TASK_RANK=1")
		},
	},
	{
		name: "pytorchelastic",
		play: elasticScales,
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
etcd-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`,
		pods: 6, // etcd, 4 workers, and an added one
		reach: `
pytorchelastic-etcd:2379 pytorchelastic-etcd-0
worker-0.pytorchelastic pytorchelastic-worker-0
worker-2.pytorchelastic pytorchelastic-worker-2`,
	},
	{
		name: "pytorchelasticsharedetcd",
		before: func(s *story) {
			s.kubectl("apply", "-f", exampleDir+"etcd.yaml")
			s.provision()
			s.awaitAllRunning("etcd", 3)
		},
		after: func(s *story) { s.awaitAllRunning("etcd", 3) }, // the training is gone, the shared etcd is not
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`,
		reach: `
worker-0.pytorchelasticsharedetcd pytorchelasticsharedetcd-worker-0
worker-2.pytorchelasticsharedetcd pytorchelasticsharedetcd-worker-2`,
		check: func(s *story, pods map[string]*corev1.Pod) { s.requireSharedEtcd(pods) },
	},
}

// elasticScales changes 4 workers to 2, and to 3, as described in the README, and ends the training.
func elasticScales(s *story) {
	f := s.awaitAllRunning("pytorchelastic", 1+4)
	if policy := f.Spec.TaskRoles[1].FrameworkAttemptCompletionPolicy; policy.MinSucceededTaskCount != 4 {
		s.t.Errorf("succeeds with %d of 4 workers", policy.MinSucceededTaskCount)
	}
	for _, workers := range []int32{2, 3} {
		s.patch("pytorchelastic", fmt.Sprintf(`[
			{op: test, path: /spec/taskRoles/1/name, value: worker},
			{op: replace, path: /spec/taskRoles/1/taskNumber, value: %[1]d},
			{op: replace, path: /spec/taskRoles/1/frameworkAttemptCompletionPolicy/minSucceededTaskCount, value: %[1]d}]`, workers))
		s.awaitAllRunning("pytorchelastic", 1+workers)
	}
	for i := range int32(3) {
		s.endPod(v1.PodName("pytorchelastic", "worker", i), 0)
	}
}

// requireSharedEtcd: the workers are sent to an etcd that is not of their Framework, and that answers.
func (s *story) requireSharedEtcd(pods map[string]*corev1.Pod) {
	s.t.Helper()
	list, err := s.pods.List(s.t.Context(), frameworkLabel("etcd"))
	require.NoError(s.t, err)
	for _, p := range list.Items {
		pods[p.Name] = &p
	}
	s.requireReach(pods, "etcd:2379 etcd-member-0 etcd-member-1 etcd-member-2")
}

// requireNamesAndKeys: the names that the launcher computes equal the workers' names in DNS, and all have the keys.
func (s *story) requireNamesAndKeys(framework string, pods map[string]*corev1.Pod) {
	s.t.Helper()
	for name, pod := range pods {
		if pod.Spec.Hostname != name || pod.Spec.Subdomain != framework {
			s.t.Errorf("%s is %s in %s", name, pod.Spec.Hostname, pod.Spec.Subdomain)
		}
		mounted := func(m corev1.VolumeMount) bool { return m.MountPath == "/root/.ssh" }
		if !slices.ContainsFunc(pod.Spec.Containers[0].VolumeMounts, mounted) {
			s.t.Errorf("%s has no keys", name)
		}
	}
	s.remadeService(framework, "")
	s.remadeSecret(framework+"-ssh", "")
}

// allStartAgainAndSucceed waits until all Tasks of a role run in their second attempts, because one of them failed in its first.
func (s *story) allStartAgainAndSucceed(framework, role string, tasks int32) {
	s.t.Helper()
	s.await(framework, "all in their second attempts, and running", func(f *v1.FrameworkStatus) bool {
		return inAttempt(f, role, tasks, 1)
	})
	for i := range tasks {
		s.endPod(v1.PodName(framework, role, i), 0)
	}
}

// inAttempt: all Tasks of the role run, in that attempt of theirs.
func inAttempt(f *v1.FrameworkStatus, role string, tasks, attempt int32) bool {
	for i := range tasks {
		if t := task(f, role, int(i)); t == nil || t.AttemptStatus.ID != attempt || t.State != v1.AttemptRunning {
			return false
		}
	}
	return true
}

// launcherKnowsWorkers: the launcher is given the name of each worker and the port that it listens on, and alone has
// the private key.
func launcherKnowsWorkers(s *story, pods map[string]*corev1.Pod) {
	hosts := "--hosts=worker-0.horovod:1,worker-1.horovod:1,worker-2.horovod:1,worker-3.horovod:1"
	command := pods["horovod-launcher-0"].Spec.Containers[0].Command
	port := fmt.Sprintf("--ssh-port=%d", pods["horovod-worker-3"].Spec.Containers[0].Ports[0].ContainerPort)
	if !slices.Contains(command, hosts) || !slices.Contains(command, port) {
		s.t.Errorf("the launcher runs %q", command)
	}
	if items := pods["horovod-worker-3"].Spec.Volumes[0].Secret.Items; len(items) != 1 || items[0].Key != "authorized_keys" {
		s.t.Errorf("a worker gets %v of the Secret", items)
	}
}
