package e2e

import (
	"regexp"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var basicExamples = []example{
	{
		name: "batchsucceeded",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-0
worker-0 Completed retried=0/0 code=0 Succeeded`,
		pods: 1,
	},
	{
		name: "array",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=fold-\d
(fold-\d Completed retried=0/0 code=0 Succeeded
?){6}`,
		pods: 6,
		check: func(s *story, pods map[string]*corev1.Pod) {
			if got := s.environment(pods["array-fold-4"].Spec.Containers[0]); got["FC_TASK_ITEM_SEED"] != "2" || got["FC_TASK_ITEM_DEPTH"] != "8" {
				s.t.Errorf("fold-4 has another item: %v", got)
			}
		},
	},
	{
		name: "batchfailedpermanent",
		want: `
Completed attempt=0 retried=0/0 code=210 ContainerPermanentFailed trigger=worker-0
worker-0 Completed retried=0/0 code=210 ContainerPermanentFailed`,
		pods: 1,
	},
	{
		name: "batchfailedtransient",
		want: `
AttemptRunning attempt=0 retried=0/0
worker-0 \w+ retried=[3-9]/0.*`,
	},
	{
		name: "batchfailedtransientconflict",
		play: conflictIsRetriedLater,
		want: `
AttemptRunning attempt=[2-9] retried=[2-9]/0
worker-0 \w+ retried=0/0.*`,
	},
	{
		name: "batchfailedunknown",
		want: `
Completed attempt=1 retried=1/1 code=1 ContainerUnrecognizedFailed trigger=worker-0
worker-0 Completed retried=1/1 code=1 ContainerUnrecognizedFailed`,
		pods: 4,
	},
	{
		name: "startdeadline",
		play: func(s *story) {
			for attempt := range int32(2) {
				s.await("startdeadline", "in its next attempt", func(f *v1.FrameworkStatus) bool {
					t := task(f, "worker", 0)
					return t != nil && t.AttemptStatus.ID == attempt && t.State == v1.AttemptPreparing
				})
				s.hinderPod("startdeadline-worker-0", "ErrImagePull", "no such host")
			}
		},
		want: `
Completed attempt=0 retried=0/0 code=-131 PodImagePullFailed trigger=worker-0
worker-0 Completed retried=1/1 code=-131 PodImagePullFailed`,
		pods: 2,
	},
	{
		name: "batchstatefulfailed",
		want: `
Completed attempt=1 retried=1/1 code=1 ContainerUnrecognizedFailed trigger=worker-\d
(worker-\d Completed retried=(1/1 code=1 ContainerUnrecognizedFailed|./. code=(-220 FrameworkAttemptCompletion|1 ContainerUnrecognizedFailed))
?){3}`,
	},
	{
		name: "avoidnodes",
		play: workerComesBackElsewhere,
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=1/1 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded
worker-3 Completed retried=0/0 code=0 Succeeded`,
		pods: 5,
	},
	{
		name: "restartrole",
		play: workersStartAgainTogether,
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
worker-0 Completed retried=1/0 code=0 Succeeded
worker-1 Completed retried=1/1 code=0 Succeeded
worker-2 Completed retried=1/0 code=0 Succeeded
data-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods: 7,
	},
	{
		name: "batchwithservicesucceeded",
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
server-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
server-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`,
		pods: 5,
	},
	{
		name: "service",
		play: serverIsReplaced,
		want: `
AttemptRunning attempt=0 retried=0/0
server-0 AttemptRunning retried=0/0
server-1 AttemptRunning retried=1/1
server-2 AttemptRunning retried=0/0`,
		pods: 4,
	},
	{
		name: "servicestateful",
		play: serverKeepsItsName,
		want: `
AttemptRunning attempt=0 retried=0/0
serverstateful-0 AttemptRunning retried=1/1
serverstateful-1 AttemptRunning retried=1/1
serverstateful-2 AttemptRunning retried=1/1`,
	},
	{
		name:  "prestart",
		play:  startWithServiceAccount,
		after: func(s *story) { untilGone(s, serviceAccounts, "prestart") },
		want: `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-\d
(a-\d Completed retried=0/0 code=(0 Succeeded|-220 FrameworkAttemptCompletion)
?){4}`,
		pods: 4,
	},
	{
		name: "poststop",
		play: func(s *story) {
			s.awaitAllRunning("poststop", 4)
			s.patch("poststop", `spec: {executionType: Stop}`)
		},
		want: `
Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested
a-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
a-1 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
a-2 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
a-3 Completed retried=0/0 code=-220 FrameworkAttemptCompletion`,
		pods: 4,
	},
	{
		name: "rescalebasic",
		play: rescaleInTwelveSteps,
		want: `
AttemptRunning attempt=0 retried=0/0
a-0 AttemptRunning retried=0/0
a-1 AttemptRunning retried=0/0
a-2 AttemptRunning retried=0/0
a-3 AttemptRunning retried=0/0
a-4 AttemptRunning retried=0/0`,
	},
}

// conflictIsRetriedLater: the delay before the retry is visible, and as configured.
func conflictIsRetriedLater(s *story) {
	f := s.await("batchfailedtransientconflict", "waiting for its retry", func(f *v1.FrameworkStatus) bool {
		return f.RetryPolicyStatus.RetryDelaySec != nil
	})
	want := regexp.MustCompile(`^AttemptCompleted attempt=0 retried=0/0 delay=[23] code=201 ContainerTransientConflictFailed trigger=worker-0
worker-0 Completed retried=0/0 code=201 ContainerTransientConflictFailed
$`)
	if got := describe(f.Status); !want.MatchString(got) {
		s.t.Errorf("got:\n%s", got)
	}
}

// serverIsReplaced: a deleted Pod is recreated under its name, and the Service selects all of them.
func serverIsReplaced(s *story) {
	s.awaitAllRunning("service", 3)
	service, err := core.CoreV1().Services(s.namespace).Get(s.t.Context(), "service", metav1.GetOptions{})
	require.NoError(s.t, err)
	if port := service.Spec.Ports[0].NodePort; service.Spec.Type != corev1.ServiceTypeNodePort || port != 30170 {
		s.t.Errorf("the Service is a %s at port %d", service.Spec.Type, port)
	}
	s.requireSelected(service, 3)
	s.deletePod("service-server-1")
}

func (s *story) requireSelected(service *corev1.Service, pods int) {
	s.t.Helper()
	selector := metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: service.Spec.Selector})
	list, err := s.pods.List(s.t.Context(), metav1.ListOptions{LabelSelector: selector})
	require.NoError(s.t, err)
	if len(list.Items) != pods {
		s.t.Errorf("the Service selects %d Pods, want %d", len(list.Items), pods)
	}
}

// serverKeepsItsName: the Pods of a Task, one after the other, have the same host name in the same headless Service.
func serverKeepsItsName(s *story) {
	s.awaitAllRunning("servicestateful", 3)
	service, err := core.CoreV1().Services(s.namespace).Get(s.t.Context(), "servicestateful", metav1.GetOptions{})
	require.NoError(s.t, err)
	if service.Spec.ClusterIP != corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
		s.t.Errorf("the Service is %v", service.Spec)
	}
	s.requireSelected(service, 3)
	for _, attempt := range []string{"0", "1"} {
		p := until(s, thePods, "servicestateful-serverstateful-2", "running in attempt "+attempt, func(p *corev1.Pod) bool {
			return isRunning(p) && p.Annotations[v1.KeyTaskAttemptID] == attempt
		})
		if p.Spec.Hostname != "serverstateful-2" || p.Spec.Subdomain != service.Name || p.Spec.ActiveDeadlineSeconds == nil {
			s.t.Errorf("the Pod is %s.%s with deadline %v", p.Spec.Hostname, p.Spec.Subdomain, p.Spec.ActiveDeadlineSeconds)
		}
	}
}

// startWithServiceAccount creates the account that the Pods need while the Framework is held, as described in the README.
func startWithServiceAccount(s *story) {
	f := s.awaitState("prestart", v1.AttemptCreationPending, 0)
	s.kubectl("create", "serviceaccount", "prestart")
	s.kubectl("patch", "serviceaccount", "prestart", "--patch", `{"metadata": {"ownerReferences": [{
		"apiVersion": "frameworkcontroller.microsoft.com/v1", "kind": "Framework", "name": "prestart", "uid": "`+string(f.UID)+`"}]}}`)
	s.kubectl("patch", "fw", "prestart", "--type=merge", "--patch", `{"spec": {"executionType": "Start"}}`)
}

// workerComesBackElsewhere: a worker fails, and is retried on another node than that which is avoided then.
// workersStartAgainTogether has one worker fail, and the data run on while all workers are replaced.
func workersStartAgainTogether(s *story) {
	s.awaitAllRunning("restartrole", 4)
	data := until(s, thePods, "restartrole-data-0", "running", isRunning)
	s.endPod("restartrole-worker-1", 1)
	s.await("restartrole", "all workers in their second attempts, and running", func(f *v1.FrameworkStatus) bool {
		return inAttempt(f, "worker", 3, 1)
	})
	if after := until(s, thePods, "restartrole-data-0", "running", isRunning); after.UID != data.UID {
		s.t.Errorf("the data were restarted, too")
	}
	for i := range int32(3) {
		s.endPod(v1.PodName("restartrole", "worker", i), 0)
	}
}

func workerComesBackElsewhere(s *story) {
	s.awaitAllRunning("avoidnodes", 4)
	first := until(s, thePods, "avoidnodes-worker-1", "running", isRunning)
	s.endPod("avoidnodes-worker-1", 1)
	second := until(s, thePods, "avoidnodes-worker-1", "running again", func(p *corev1.Pod) bool { return isRunning(p) && p.UID != first.UID })
	if second.Spec.NodeName == first.Spec.NodeName {
		s.t.Errorf("it came back on %s", second.Spec.NodeName)
	}
	s.await("avoidnodes", "avoiding the node in two ways", func(f *v1.FrameworkStatus) bool {
		return len(f.AvoidedNodes) == 2 && f.AvoidedNodes[0].Name == first.Spec.NodeName && f.AvoidedNodes[0].Mode == v1.AvoidPrefer &&
			f.AvoidedNodes[1].Role == "worker" && f.AvoidedNodes[1].Mode == v1.AvoidRequire
	})
	for i := range int32(4) {
		s.endPod(v1.PodName("avoidnodes", "worker", i), 0)
	}
}
