package e2e

import (
	"encoding/json"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// batchExamples are jobs other than distributed training, some of which start their own cluster.
var batchExamples = []example{
	{
		name: "pytorchinference",
		play: twoPartsFail,
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=part-\d
part-0 Completed retried=0/0 code=0 Succeeded
part-1 Completed retried=0/0 code=0 Succeeded
part-2 Completed retried=0/0 code=0 Succeeded
part-3 Completed retried=0/0 code=210 ContainerPermanentFailed
part-4 Completed retried=0/0 code=0 Succeeded
part-5 Completed retried=1/1 code=0 Succeeded
part-6 Completed retried=0/0 code=0 Succeeded
part-7 Completed retried=0/0 code=210 ContainerPermanentFailed
part-8 Completed retried=0/0 code=0 Succeeded
part-9 Completed retried=0/0 code=0 Succeeded`,
		pods: 11,
		check: func(s *story, pods map[string]*corev1.Pod) {
			if got := s.environment(pods["pytorchinference-part-7"].Spec.Containers[0]); got["FC_TASK_INDEX"] != "7" || got["PARTS"] != fmt.Sprint(len(pods)) {
				s.t.Errorf("part 7 of %d does not know it: %v", len(pods), got)
			}
		},
	},
	{
		name: "kdtree",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=search-0
build-0 Completed retried=0/0 code=0 Succeeded
build-1 Completed retried=0/0 code=0 Succeeded
build-2 Completed retried=0/0 code=0 Succeeded
build-3 Completed retried=0/0 code=0 Succeeded
search-0 Completed retried=0/0 code=0 Succeeded`,
		pods:  5,
		check: treesAreBuiltFirst,
	},
	{
		name: "automl",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=trial-\d
history-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
trial-0 Completed retried=0/0 code=0 Succeeded
trial-1 Completed retried=0/0 code=0 Succeeded
trial-2 Completed retried=0/0 code=0 Succeeded
trial-3 Completed retried=0/0 code=0 Succeeded`,
		pods:  5,
		reach: `automl-history:6379 automl-history-0`,
	},
	{
		name: "reinforcement",
		play: func(s *story) {
			memberComesBack(s, "reinforcement", 6, "buffer", 0)
			s.awaitAllRunning("reinforcement", 6)
			s.endPod("reinforcement-learner-0", 0)
		},
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=learner-0
learner-0 Completed retried=0/0 code=0 Succeeded
buffer-0 Completed retried=1/1 code=-220 FrameworkAttemptCompletion
actor-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
actor-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
actor-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
actor-3 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods:  7,
		reach: `reinforcement-buffer-0.reinforcement:6379 reinforcement-buffer-0`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			for _, name := range []string{"reinforcement-learner-0", "reinforcement-actor-3"} {
				s.requireKnows(pods[name], "BUFFER=redis://reinforcement-buffer-0.reinforcement:6379")
			}
		},
	},
	{
		name: "ray",
		play: func(s *story) {
			memberComesBack(s, "ray", 4, "worker", 1)
			s.awaitAllRunning("ray", 4)
			s.endPod("ray-head-0", 0)
		},
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=head-0
head-0 Completed retried=0/0 code=0 Succeeded
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=1/1 code=-220 FrameworkAttemptCompletion
worker-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods:  5,
		reach: `ray-head-0.ray:6379 ray-head-0`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireKnows(pods["ray-worker-1"], "HEAD=ray-head-0.ray:6379")
		},
	},
	{
		name: "spark",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=driver-0
driver-0 Completed retried=0/0 code=0 Succeeded
master-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods: 5,
		reach: `
master-0.spark:7077 spark-master-0
driver-0.spark spark-driver-0
worker-2.spark spark-worker-2`,
	},
	{
		name: "flink",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=job-0
jobmanager-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
taskmanager-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
taskmanager-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
taskmanager-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
job-0 Completed retried=0/0 code=0 Succeeded`,
		pods:  5,
		reach: `flink-jobmanager:8081 flink-jobmanager-0`,
	},
	{
		name: "jupyter",
		play: func(s *story) {
			memberComesBack(s, "jupyter", 4, "worker", 1)
			s.awaitAllRunning("jupyter", 4)
			s.endPod("jupyter-chief-0", 0) // "Shut Down" in the notebook
		},
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=chief-0
chief-0 Completed retried=0/0 code=0 Succeeded
ps-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-1 Completed retried=1/1 code=-220 FrameworkAttemptCompletion`,
		pods: 5,
		reach: `
chief-0.jupyter:2222 jupyter-chief-0
ps-0.jupyter:2222 jupyter-ps-0
worker-0.jupyter:2222 jupyter-worker-0
worker-1.jupyter:2222 jupyter-worker-1`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			s.requireTFConfig(pods, "jupyter", map[string][]string{
				"chief": {"chief-0.jupyter:2222"}, "ps": {"ps-0.jupyter:2222"},
				"worker": {"worker-0.jupyter:2222", "worker-1.jupyter:2222"},
			})
		},
	},
}

// twoPartsFail: two parts cannot be done, one can be done the second time, and the others are. The Pods would end by
// themselves, but later.
func twoPartsFail(s *story) {
	s.awaitAllRunning("pytorchinference", 10)
	for part, code := range []int32{5: 1, 3: 210, 7: 210, 9: 0} {
		s.endPod(v1.PodName("pytorchinference", "part", int32(part)), code)
	}
	s.endPod("pytorchinference-part-5", 0)
}

// treesAreBuiltFirst: the search gets its Pod when all trees exist, knows their number, and finds them.
func treesAreBuiltFirst(s *story, pods map[string]*corev1.Pod) {
	search := pods["kdtree-search-0"]
	s.requireKnows(search, "FC_TASK_COUNT_build=4")
	for name, pod := range pods {
		if pod != search && !pod.CreationTimestamp.Before(&search.CreationTimestamp) {
			s.t.Errorf("Pod %s was created at %s, and the search at %s", name, pod.CreationTimestamp, search.CreationTimestamp)
		}
		if claim, volume := claimOf(pod), mountedAt(pod.Spec.Containers[0], "/mnt/data"); claim != "kdtree" || volume != "data" {
			s.t.Errorf("%s has %q at /mnt/data, from %q", name, volume, claim)
		}
	}
}

// requireTFConfig checks that each Task knows the whole cluster, and who it is in it.
func (s *story) requireTFConfig(pods map[string]*corev1.Pod, framework string, cluster map[string][]string) {
	s.t.Helper()
	type task struct {
		Type  string
		Index int32
	}
	for name, pod := range pods {
		var got struct {
			Cluster map[string][]string
			Task    task
		}
		text := s.environment(pod.Spec.Containers[0])["TF_CONFIG"]
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			s.t.Errorf("TF_CONFIG of %s: %v\n%s", name, err, text)
		} else if !reflect.DeepEqual(got.Cluster, cluster) || v1.PodName(framework, got.Task.Type, got.Task.Index) != name {
			s.t.Errorf("TF_CONFIG of %s: %s", name, text)
		}
	}
}
