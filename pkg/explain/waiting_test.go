package explain

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// The facts of a wait name its Pod and its node for commands. A status without facts, stored by an earlier version, is explained by
// its sentence, and nothing is parsed from it.
func TestWaitingWithAndWithoutFacts(t *testing.T) {
	task := v1.TaskStatus{State: v1.AttemptPreparing}
	task.AttemptStatus.PodName = "train-worker-0"
	f := frameworkOf(task)
	f.Status.State = v1.AttemptPreparing
	f.Status.Conditions = []metav1.Condition{{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue, Reason: "ImageNotPulled",
		Message: "Task worker-0 (Pod train-worker-0 on node node-7): the image of container main is not pulled"}}
	for _, facts := range []bool{true, false} {
		if f.Status.Waiting = nil; facts {
			f.Status.Waiting = &v1.WaitingStatus{Reason: "ImageNotPulled", Role: "worker", Index: new(int32(0)), Pod: "train-worker-0", Node: "node-7"}
		}
		if named := slices.Equal(Pods(f), []string{"train-worker-0"}); named != facts {
			t.Errorf("with facts %t, it looks at %q", facts, Pods(f))
		}
		about := map[bool]string{true: "It has been waiting", false: "Its Framework has been waiting"}
		said := strings.Join(Task(Facts{Framework: f, Now: halfPastFour}, "worker", 0).Lines(), "\n")
		if !strings.Contains(said, about[facts]) || !strings.Contains(said, "the image of container main is not pulled") {
			t.Errorf("with facts %t, it says\n%s", facts, said)
		}
	}
}
