package security

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// judges are plugins that decide the type of failures and the end of attempts; with everyKind, there is one of each kind.
const (
	judges = `
plugins:
- {name: exitcodes, kind: FailureClassifier, command: classifier-exitcodes, parameters: {codes: {42: {phrase: Busy, type: {attributes: [Transient]}}}}}
- {name: leader, kind: CompletionPolicy, command: completion-leader}
`
	everyKind = judges + `- {name: hived, kind: SchedulerHints, command: hints-hived, parameters: {virtualCluster: VC1}}
`
)

// With the permissions of deploy/ and no others, each part of the controller does its work, and is refused nothing: plugins
// of every kind, retries, times to live, events, metrics, the lease, and who takes over.
func TestLifeWithInstalledPermissions(t *testing.T) {
	from := audit.Size(t)
	first := startController(t, everyKind)
	a := newAuthor(t, "life")
	judgedByPlugins(a)
	hintedByAPlugin(a)
	a.create("lasts", oneTask(lasting))
	before := a.awaitCondition("lasts", v1.ConditionRunning)
	for _, want := range []string{`frameworkcontroller_frameworks{state="AttemptRunning"}`, "frameworkcontroller_leader 1", `frameworkcontroller_plugin_up{kind="SchedulerHints",plugin="hived"} 1`} {
		eventually(t, "the metrics are complete", func(context.Context) error { return first.says("/metrics", want) })
	}
	second := startAnother(t, everyKind)
	eventually(t, "the second one stands by", func(context.Context) error { return second.says("/readyz?verbose", "standing by") })
	first.Kill()
	eventually(t, "it takes over", func(context.Context) error { return second.says("/readyz?verbose", "leading") })
	a.create("last", oneTask(ending("0")))
	a.awaitCondition("last", v1.ConditionCompleted)
	if after := a.awaitCondition("lasts", v1.ConditionRunning); *task(after).AttemptStatus.PodUID != *task(before).AttemptStatus.PodUID {
		t.Error("the Pod is another one after the take-over")
	}
	eventually(t, "an event tells of the end", func(context.Context) error {
		if events := a.events(); !strings.Contains(events, installed+" last Completed: ") {
			return fmt.Errorf("the events are:\n%s", events)
		}
		return nil
	})
	refused := requestsAfter(t, from, func(r request) bool { // not in namespaces of other tests, which are being deleted
		return r.Response.Code == 403 && slices.Contains([]string{"", installed, a.namespace}, r.ObjectRef.Namespace)
	})
	if len(refused) > 0 {
		t.Errorf("refused: %v", refused)
	}
}

// judgedByPlugins: one plugin calls the failure transient, so there is a retry, and another one ends the attempt.
func judgedByPlugins(a *author) {
	a.create("judged", `{plugins: [{name: exitcodes}, {name: leader, parameters: {leader: {role: a}}}], ttlSecondsAfterFinished: 3600,
		taskRoles: [{name: a, taskNumber: 1, task: {retryPolicy: {fancyRetryPolicy: true}, pod: `+ending("42,0")+`}}, {name: b, taskNumber: 1, task: {pod: `+lasting+`}}]}`)
	f := a.awaitCondition("judged", v1.ConditionCompleted)
	source := f.Status.AttemptStatus.CompletionStatus.Source
	if source == nil || source.Plugin != "leader" || task(f).RetryPolicyStatus.TotalRetriedCount != 1 {
		a.t.Errorf("source %+v, retries %+v", source, task(f).RetryPolicyStatus)
	}
	a.create("expires", `{ttlSecondsAfterFinished: 0, taskRoles: [{name: a, taskNumber: 1, task: {pod: `+ending("0")+`}}]}`)
	a.awaitGone("expires")
}

// hintedByAPlugin: the Pod is created for another scheduler, and deleted when the Framework is stopped.
func hintedByAPlugin(a *author) {
	a.create("hinted", `{plugins: [{name: hived, parameters: {priority: 1, leafCellType: V100}}], taskRoles: [{name: a, taskNumber: 1, task: {pod: {
		spec: {containers: [{name: main, image: none, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}]}`)
	var pod *corev1.Pod
	eventually(a.t, "the Pod is there", func(ctx context.Context) (err error) {
		pod, err = a.core.CoreV1().Pods(a.namespace).Get(ctx, "hinted-a-0", metav1.GetOptions{})
		return err
	})
	if pod.Spec.SchedulerName != "hivedscheduler" {
		a.t.Errorf("the scheduler is %s", pod.Spec.SchedulerName)
	}
	require.NoError(a.t, a.frameworks.Delete(a.t.Context(), "hinted", metav1.DeleteOptions{}))
	a.awaitGone("hinted")
}
