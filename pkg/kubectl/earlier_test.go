package kubectl

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Earlier attempts are known by the facts of events. Messages of an older controller without facts are shown unchanged.
func TestEarlierAttemptsByEvents(t *testing.T) {
	event := func(why reason.Event, message string, f reason.Facts) corev1.Event {
		return corev1.Event{Reason: string(why), Message: message, ObjectMeta: metav1.ObjectMeta{Annotations: f.Annotations()}}
	}
	ofTask := reason.Facts{Tasks: []string{"w-0"}, Node: "node-3", Row: "R6"}.OfAttempt(0).Ended(7, "Seven")
	ofAttempt := func(id int32) reason.Facts {
		return reason.Facts{Tasks: []string{"w-0"}, Row: "R6"}.OfAttempt(id).Ended(9, "Nine")
	}
	told := tellingsOf([]corev1.Event{
		event(reason.TaskRetried, "of the first attempt", ofTask),
		event(reason.Retried, "attempt 1 begins, after Eight, code 8", reason.Facts{}),
		event(reason.TaskRetried, "of the second attempt", ofTask),
		event(reason.AttemptCompleted, "attempt 1 failed", ofAttempt(1)),
		event(reason.Retried, "attempt 2 begins", ofAttempt(1)),
		event(reason.TaskRetried, "Task w-0: attempt 1 begins, after Six, code 6", reason.Facts{}),
		event(reason.TaskRetried, "of this attempt", ofTask),
		event(reason.AttemptCompleted, "attempt 2 failed", ofAttempt(2)),
	})
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning}}
	f.Status.AttemptStatus.ID = 2
	f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "w", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptRunning}}}}
	require.Equal(t, `train: AttemptRunning, attempt 2
├── earlier: attempt 1 begins, after Eight, code 8
├── attempt 1: over, Nine, code 9
└── w: 1 Task
    └── 0: Running
        └── attempt 0: over, Seven, code 7 on node-3
`, treeOf(&stored{Framework: *f}, told, false).node().String())
	require.Equal(t, `train: attempt 1, which is over
├── of one of the attempts: Retried: attempt 1 begins, after Eight, code 8
├── AttemptCompleted: attempt 1 failed
└── Retried: attempt 2 begins
`, told.treeOfAttempt(&stored{Framework: *f}, 1).node().String())
}
