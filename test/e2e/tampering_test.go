package e2e

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Nobody but the controller should write a status. If somebody does, the controller restores what it stored.
func TestStatusEdited(t *testing.T) {
	t.Parallel()
	edits := map[string]string{
		"completed": `{state: Completed}`,
		"forgotten": `{attemptStatus: {configMapUID: null}}`,
		"nonsense":  `{state: Nonsense, attemptStatus: {taskRoleStatuses: none}}`,
		"removed":   `null`,
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.create("edited", roleOf(2, pod()))
			before := s.awaitAllRunning("edited", 2)
			s.patchStatus("edited", edit)
			s.awaitWarning("edited", "StatusOverwritten", "")
			s.eventuallyHasStatus("edited", before.Status)
			s.requirePods(podCount{created: 2})
			s.endPod("edited-a-0", 0)
			s.endPod("edited-a-1", 0)
			s.awaitState("edited", v1.Completed, 0)
		})
	}
}

// A status that makes no sense, and that no running controller can restore, parks its Framework and no other.
// It is not parallel, since the controller is down for a moment.
func TestInvalidStatusAfterRestart(t *testing.T) {
	s := newStory(t)
	broken := map[string]string{
		"nonsense":    `{state: Nonsense}`,
		"undecodable": `{attemptStatus: {taskRoleStatuses: none}}`,
	}
	for name := range broken {
		s.create(name, roleOf(1, pod()))
	}
	s.create("neighbour", roleOf(1, pod()))
	before := map[string]*v1.Framework{}
	for name := range broken {
		before[name] = s.awaitAllRunning(name, 1)
	}
	s.awaitAllRunning("neighbour", 1)

	controller.down(t, func() {
		for name, status := range broken {
			s.patchStatus(name, status)
		}
	})
	for name := range broken {
		s.awaitParked(name)
		s.awaitWarning(name, "StatusInvalid", "")
		s.endPod(name+"-a-0", 0)
	}
	s.endPod("neighbour-a-0", 0)
	s.awaitState("neighbour", v1.Completed, 0)

	// It goes on, and sees what has happened meanwhile, as soon as somebody repairs the status.
	for name := range broken {
		s.awaitParked(name)
		s.patchStatus(name, jsonOf(t, before[name].Status))
		s.awaitState(name, v1.Completed, 0)
	}
}

// awaitParked waits for the condition that says that the status is invalid. The rest of it need not fit our types.
func (s *story) awaitParked(name string) {
	s.t.Helper()
	s.eventuallyStatus(name, "parked", func(status fieldsOf) bool {
		for _, c := range status.list("conditions") {
			if c.text("type") == v1.ConditionStatusInvalid && c.text("status") == string(metav1.ConditionTrue) {
				return true
			}
		}
		return false
	})
}

// eventuallyHasStatus waits until the status is the wanted one again.
func (s *story) eventuallyHasStatus(name string, want *v1.FrameworkStatus) {
	s.t.Helper()
	text := jsonOf(s.t, want)
	s.eventuallyStatus(name, "restored", func(status fieldsOf) bool { return jsonOf(s.t, roundTrip(s.t, status)) == text })
}

// roundTrip reads a status as our types do; what does not fit them reads as an empty status.
func roundTrip(t *testing.T, status fieldsOf) *v1.FrameworkStatus {
	t.Helper()
	out := &v1.FrameworkStatus{}
	if json.Unmarshal([]byte(jsonOf(t, status)), out) != nil {
		return &v1.FrameworkStatus{}
	}
	return out
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
