package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// hungry is a role whose container runs out of memory in as many attempts as there are failures.
func hungry(policy, failures string) string {
	return `{taskRoles: [{name: a, task: {retryPolicy: ` + policy + `, pod: {metadata: {annotations: {
		simulate.frameworkcontroller.io/run-for: 1s, simulate.frameworkcontroller.io/reason: OOMKilled, simulate.frameworkcontroller.io/exit-codes: "` + failures + `"}},
		spec: {restartPolicy: Never, containers: [{name: c, image: app, resources: {requests: {memory: 1Gi}, limits: {memory: 2Gi}}}]}}}}]}`
}

// Memory is raised with each failure for lack of it, up to the maximum, and the Pods get it, also after a crash of the controller.
func TestRetryWithMoreMemory(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("hungry", hungry(`{fancyRetryPolicy: true, maxRetryCount: 5, onOOM: {memoryFactor: "1.5", maxMemory: 4Gi}}`, "137,137,0"))
	f := s.awaitState("hungry", v1.Completed, 0)
	if got, want := describe(f.Status), "a-0 Completed retried=2/2 code=0 Succeeded"; !strings.Contains(got, want) {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	memory := firstTask(f.Status).Memory
	if len(memory) != 1 || memory[0] != (v1.ContainerMemory{Container: "c", Limit: "4Gi", Request: "2304Mi", FirstLimit: "2Gi"}) {
		t.Errorf("%+v", memory)
	}
	s.awaitEvents("hungry", "MemoryRaised: Task a-0: container c gets a memory limit of 3Gi after 2Gi", "MemoryRaised: Task a-0: container c gets a memory limit of 4Gi after 3Gi")
}

// A quota that refuses the raised Pod is told with the memory that it asks for.
func TestQuotaRefusesMoreMemory(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.limit(corev1.ResourceLimitsMemory, 5<<29) // 2.5Gi
	s.create("hungry", hungry(`{maxRetryCount: 5, onOOM: {memoryFactor: "1.5", maxMemory: 4Gi}}`, "137,0"))
	said := s.awaitCondition("hungry", v1.ConditionWaiting, "True", "Forbidden").Message
	if want := resource.MustParse("3Gi"); !strings.Contains(said, "requested: limits.memory="+want.String()) {
		t.Errorf("it says %s", said)
	}
	s.unlimit()
	s.awaitState("hungry", v1.Completed, 0)
}
