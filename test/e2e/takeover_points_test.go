package e2e

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// point is a point in the life of a Framework at which the original was stopped, with the rest of its life here.
type point struct {
	name    string
	left    left
	then    func(*story)                       // done after the take-over
	want    string                             // the description of its end; empty if it is deleted
	created []string                           // the Pods created after the take-over
	check   func(*story, *laid, *v1.Framework) // at its end
}

const (
	running     = "AttemptRunning object=there"
	stoppedWant = "Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested\na-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n"
)

// wellDone is the end of a Framework whose only Task has succeeded.
func wellDone(framework, task string) string {
	return fmt.Sprintf("Completed attempt=%s code=0 Succeeded trigger=a-0\na-0 Completed retried=%s code=0 Succeeded\n", framework, task)
}

// failedWith is the end of a Framework whose only Task has failed, without retries.
func failedWith(outcome string) string {
	return "Completed attempt=0 retried=0/0 " + outcome + " trigger=a-0\na-0 Completed retried=0/0 " + outcome + "\n"
}

// frameworkPoints has every state of a Framework.
var frameworkPoints = []point{
	{
		name: "no status", left: left{tasks: []string{"-"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		// The original cannot store a status for it. Without one, the defaults count.
		name: "no status, no executionType", left: left{framework: bare, tasks: []string{"-"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 1), want: failedWith("code=1 ContainerUnrecognizedFailed"),
	}, {
		name:    "AttemptCreationPending, held",
		left:    left{framework: `{executionType: Create}`, status: "AttemptCreationPending", tasks: []string{"AttemptCreationPending"}},
		then:    inOrder(isStill("AttemptCreationPending"), patched(theLeft, `spec: {executionType: Start}`), exits("left-a-0", 0)),
		created: []string{"left-a-0"}, want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationPending",
		left: left{framework: `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}}`,
			status: "AttemptCreationPending retried=2/1", tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("2 retried=2/1", "0/0"),
	}, {
		name:    "AttemptCreationPending, ConfigMap created",
		left:    left{status: "AttemptCreationPending object=unnoted", tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationPending, ConfigMap of the attempt before",
		left: left{framework: `{retryPolicy: {maxRetryCount: 1}}`, status: "AttemptCreationPending retried=1/1 object=outdated",
			tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("1 retried=1/1", "0/0"),
		check: func(s *story, l *laid, f *v1.Framework) {
			if uid := f.Status.AttemptStatus.ConfigMapUID; uid == nil || *uid == l.configMap {
				s.t.Error("the ConfigMap of another attempt was adopted")
			}
		},
	}, {
		name:    "AttemptCreationRequested",
		left:    left{status: "AttemptCreationRequested object=there", tasks: []string{"AttemptCreationPending"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationRequested, ConfigMap lost",
		left: left{status: "AttemptCreationRequested object=lost age=280s", tasks: []string{"AttemptCreationPending"}},
		want: "Completed attempt=0 retried=0/0 code=-110 ConfigMapLocalCacheCreationTimeout\n" +
			"a-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion\n",
		check: endedNotBefore(sinceTransition(300 * time.Second)),
	}, {
		name: "AttemptPreparing",
		left: left{status: "AttemptPreparing object=there", tasks: []string{"AttemptPreparing object=there hold=true"}},
		then: inOrder(isStill("AttemptPreparing"), released("left-a-0"), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptPreparing, without Tasks",
		left: left{status: "AttemptPreparing object=there"},
		then: inOrder(isStill("AttemptPreparing"), patched(theLeft, `spec: {executionType: Stop}`)),
		want: "Completed attempt=0 retried=0/0 code=-210 StopFrameworkRequested\n",
	}, {
		name: "AttemptRunning",
		left: left{status: running, tasks: []string{running, "Completed code=0 object=lost age=30s"}},
		then: inOrder(isStill("AttemptRunning"), exits("left-a-0", 0)),
		want: wellDone("0 retried=0/0", "0/0") + "a-1 Completed retried=0/0 code=0 Succeeded\n",
	}, {
		// A value that the original has made explicit is no default.
		name: "AttemptRunning, policy 0 and 0",
		left: left{role: `{frameworkAttemptCompletionPolicy: {minFailedTaskCount: 0, minSucceededTaskCount: 0}}`,
			status: running, tasks: []string{running}},
		then: exits("left-a-0", 1),
		want: "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=0/0 code=1 ContainerUnrecognizedFailed\n",
	}, {
		name: "AttemptRunning, no instance UIDs",
		left: left{older: true, status: running, tasks: []string{running}},
		then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptRunning, stopped meanwhile",
		left: left{framework: `{executionType: Stop}`, status: running, tasks: []string{running}},
		want: stoppedWant,
	}, {
		name:    "AttemptRunning, scaled up meanwhile",
		left:    left{role: `{taskNumber: 2}`, status: running, tasks: []string{running}},
		created: []string{"left-a-1"}, then: inOrder(exits("left-a-1", 0), completes(1), exits("left-a-0", 0)),
		want: wellDone("0 retried=0/0", "0/0") + "a-1 Completed retried=0/0 code=0 Succeeded\n",
	}, {
		name: "AttemptRunning, scaled down meanwhile",
		left: left{role: `{taskNumber: 1}`, status: running, tasks: []string{running, running}},
		then: inOrder(hasTasks(1), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeletionPending",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeletionPending code=-210 object=there",
			tasks: []string{"AttemptRunning code=-220 object=there"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeletionRequested",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeletionRequested code=-210 object=terminating",
			tasks: []string{"AttemptRunning code=-220 object=there terminate-after=15s"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeletionRequested, all gone",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeletionRequested code=-210 object=lost",
			tasks: []string{"AttemptDeleting code=-220 object=lost"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeleting",
		left: left{framework: `{executionType: Stop}`, status: "AttemptDeleting code=-210 object=terminating",
			tasks: []string{"AttemptDeleting code=-220 object=terminating terminate-after=15s"}},
		want: stoppedWant,
	}, {
		name: "AttemptDeleting, Pod stuck",
		left: left{framework: `{executionType: Stop}`, role: `{task: {podGracefulDeletionTimeoutSec: 20}}`, timeout: true,
			status: "AttemptDeleting code=-210 object=terminating",
			tasks:  []string{"AttemptDeleting code=-220 object=terminating terminate-after=1h"}},
		want: stoppedWant, check: endedNotBefore(sinceDeletion(20 * time.Second)),
	}, {
		name: "AttemptDeleting, ConfigMap deleted by others",
		left: left{status: "AttemptDeleting code=-100 object=terminating",
			tasks: []string{"AttemptRunning object=there terminate-after=15s"}},
		want: "Completed attempt=0 retried=0/0 code=-100 ConfigMapExternalDeleted\na-0 Completed retried=0/0 code=-101 PodExternalDeleted\n",
	}, {
		name: "AttemptCompleted, not to be retried", // type.attributes is null
		left: left{status: "AttemptCompleted code=-1201 object=lost", tasks: []string{"Completed code=-1201 object=lost"}},
		want: "Completed attempt=0 retried=0/0 code=-1201 ContainerDockerCreationError\na-0 Completed retried=0/0 code=-1201 ContainerDockerCreationError\n",
	}, {
		name: "AttemptCompleted, to be retried",
		left: left{framework: `{retryPolicy: {maxRetryCount: 1}}`, status: "AttemptCompleted code=1 object=lost",
			tasks: []string{"Completed code=1 object=lost"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("1 retried=1/1", "0/0"),
	}, {
		// The original stores the delay of each retry, even if it is 0, and executes the retry in its next round.
		name: "AttemptCompleted, retry due",
		left: left{framework: `{retryPolicy: {maxRetryCount: 1}}`, status: "AttemptCompleted code=1 object=lost delay=0",
			tasks: []string{"Completed code=1 object=lost"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("1 retried=1/1", "0/0"),
	}, {
		name: "AttemptCompleted, waiting",
		left: left{framework: `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}}`,
			status: "AttemptCompleted code=201 object=lost delay=600 age=580s", tasks: []string{"Completed code=201 object=lost"}},
		created: []string{"left-a-0"}, then: inOrder(isStill("AttemptCompleted"), exits("left-a-0", 0)),
		want: wellDone("1 retried=1/0", "0/0"),
		check: func(s *story, l *laid, f *v1.Framework) {
			requireNotBefore(s, sinceTransition(600*time.Second)(s, l), f.Status.AttemptStatus.StartTime)
		},
	}, {
		name: "AttemptCompleted, waiting, then stopped",
		left: left{framework: `{retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 1}}`,
			status: "AttemptCompleted code=201 object=lost delay=3600", tasks: []string{"Completed code=201 object=lost"}},
		then: inOrder(isStill("AttemptCompleted"), patched(theLeft, `spec: {executionType: Stop}`)),
		want: strings.Replace(stoppedWant, "attempt=0 retried=0/0", "attempt=1 retried=1/0", 1),
	}, {
		name: "Completed",
		left: left{status: "Completed code=0 object=lost", tasks: []string{"Completed retried=1/1 code=0 object=lost"}},
		then: isStill("Completed"),
		want: "Completed attempt=0 retried=0/0 code=0 Succeeded\na-0 Completed retried=1/1 code=0 Succeeded\n", check: keptStatus,
	}, {
		name: "Completed, to be deleted", // at the end of the default retention
		left: left{status: "Completed code=0 object=lost age=2591980s", tasks: []string{"Completed code=0 object=lost"}},
		check: func(s *story, l *laid, _ *v1.Framework) {
			requireNotBefore(s, sinceTransition(2592000*time.Second)(s, l), metav1.Now())
		},
	},
}

// taskPoints has every state of a Task, in a Framework that runs.
var taskPoints = []point{
	{
		name:    "AttemptCreationPending",
		left:    left{role: retryOnce, status: running, tasks: []string{"AttemptCreationPending retried=1/1"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name: "AttemptCreationPending, Pod created",
		left: left{role: retryOnce, status: running, tasks: []string{"AttemptCreationPending retried=1/1 object=unnoted"}},
		then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name: "AttemptCreationPending, to be removed",
		left: left{role: `{taskNumber: 1}`, status: running,
			tasks: []string{running, "AttemptCreationPending code=-230 deletionPending"}},
		then: inOrder(hasTasks(1), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationRequested",
		left: left{status: running, tasks: []string{"AttemptCreationRequested object=there"}},
		then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptCreationRequested, Pod lost",
		left: left{status: running, tasks: []string{"AttemptCreationRequested object=lost age=280s"}},
		want: failedWith("code=-111 PodLocalCacheCreationTimeout"), check: endedNotBefore(sinceTaskTransition(300 * time.Second)),
	}, {
		name: "AttemptPreparing",
		left: left{status: running, tasks: []string{"AttemptPreparing object=there hold=true"}},
		then: inOrder(released("left-a-0"), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptRunning, in the second attempt",
		left: left{role: retryOnce, status: running, tasks: []string{"AttemptRunning retried=1/1 object=there"}},
		then: exits("left-a-0", 1),
		want: "Completed attempt=0 retried=0/0 code=1 ContainerUnrecognizedFailed trigger=a-0\na-0 Completed retried=1/1 code=1 ContainerUnrecognizedFailed\n",
	}, {
		name: "AttemptRunning, ended meanwhile",
		left: left{status: running, tasks: []string{"AttemptRunning object=succeeded"}},
		want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptRunning, Pod lost meanwhile",
		left: left{status: running, tasks: []string{"AttemptRunning object=lost"}},
		want: failedWith("code=-101 PodExternalDeleted"),
	}, {
		name: "AttemptRunning, to be removed",
		left: left{role: `{taskNumber: 1}`, status: running,
			tasks: []string{running, "AttemptRunning code=-230 deletionPending object=there"}},
		then: inOrder(hasTasks(1), exits("left-a-0", 0)), want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeletionPending",
		left: left{status: running, tasks: []string{"AttemptDeletionPending code=0 object=succeeded"}},
		want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeletionRequested",
		left: left{status: running, tasks: []string{"AttemptDeletionRequested code=0 object=terminating terminate-after=15s"}},
		want: wellDone("0 retried=0/0", "0/0"),
	}, {
		name: "AttemptDeleting, deleted by others",
		left: left{status: running, tasks: []string{"AttemptDeleting code=-101 object=terminating terminate-after=15s"}},
		want: failedWith("code=-101 PodExternalDeleted"),
	}, {
		name: "AttemptDeleting, Pod stuck", // the role's status has no copy of the timeout yet
		left: left{role: `{task: {podGracefulDeletionTimeoutSec: 20}}`, status: running,
			tasks: []string{"AttemptDeleting code=0 object=terminating terminate-after=1h"}},
		want: wellDone("0 retried=0/0", "0/0"), check: endedNotBefore(sinceDeletion(20 * time.Second)),
	}, {
		name:    "AttemptCompleted, to be retried",
		left:    left{role: retryOnce, status: running, tasks: []string{"AttemptCompleted code=1 object=lost"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name:    "AttemptCompleted, retry due",
		left:    left{role: retryOnce, status: running, tasks: []string{"AttemptCompleted code=1 object=lost delay=0"}},
		created: []string{"left-a-0"}, then: exits("left-a-0", 0), want: wellDone("0 retried=0/0", "1/1"),
	}, {
		name: "AttemptCompleted, not to be retried",
		left: left{status: running, tasks: []string{"AttemptCompleted code=1 object=lost"}},
		want: failedWith("code=1 ContainerUnrecognizedFailed"),
	}, {
		name:    "Completed, to be replaced",
		left:    left{status: running, tasks: []string{running, "Completed code=-230 deletionPending object=lost"}},
		created: []string{"left-a-1"}, then: inOrder(exits("left-a-1", 0), completes(1), exits("left-a-0", 0)),
		want: wellDone("0 retried=0/0", "0/0") + "a-1 Completed retried=0/0 code=0 Succeeded\n",
	},
}

const retryOnce = `{task: {retryPolicy: {maxRetryCount: 1}}}`
