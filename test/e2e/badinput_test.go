package e2e

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// The files badinput_*_test.go are one table: possible mistakes, and how a user learns of them.
//
//	badinput_specs_test.go           refused by the API server at once, with a message that names the field
//	badinput_templates_test.go       found when a Pod is created: condition and event on the Framework
//	badinput_situations_test.go      problems in the cluster: condition and event, and how it continues when mended
//	badinput_stored_test.go          stored although they should not be: specs that do not decode, edited statuses
//	badinput_configurations_test.go  the controller does not start with them: exit code 1, and one line that names the key
//
// Beside each part a neighbour completes undisturbed, and the controller's process is the same at the end.

// answer is a Framework's report of a problem.
type answer struct {
	condition string // type of the condition that becomes True; empty for none
	reason    string // reason of the condition; empty for any
	says      string // substring of the condition's message
	event     string // reason of the Warning event; empty for none
	eventSays string // substring of its message; empty: the condition's
}

// waitsFor is the answer of a Framework that waits, with an event that has the same message.
func waitsFor(reason, says string) answer {
	return answer{condition: v1.ConditionWaiting, reason: reason, says: says, event: cmp.Or(reason, anyReason)}
}

// answerTime is how long an answer may take; a second is usual.
var answerTime = machine.Within(30 * time.Second)

// requireAnswer waits for the condition and the event.
func (s *story) requireAnswer(name string, want answer) {
	s.t.Helper()
	if want.eventSays == "" {
		want.eventSays = want.says
	}
	s.eventuallySoon(func(ctx context.Context) error {
		if err := s.missingCondition(ctx, name, want); err != nil {
			return err
		}
		return s.missingEvent(ctx, name, want)
	})
}

func (s *story) missingCondition(ctx context.Context, name string, want answer) error {
	if want.condition == "" {
		return nil
	}
	conditions, err := s.conditions(ctx, name)
	if err != nil {
		return err
	}
	for _, c := range conditions {
		if c.text("type") == want.condition && c.text("status") == string(metav1.ConditionTrue) &&
			(want.reason == "" || c.text("reason") == want.reason) && strings.Contains(c.text("message"), want.says) {
			return nil
		}
	}
	return fmt.Errorf("no condition %s with reason %q says %q, but %v", want.condition, want.reason, want.says, conditions)
}

// conditions may belong to a status that does not fit our types.
func (s *story) conditions(ctx context.Context, name string) ([]fieldsOf, error) {
	f, err := s.raw.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return fieldsOf(f.Object).at("status").list("conditions"), nil
}

func (s *story) missingEvent(ctx context.Context, name string, want answer) error {
	if want.event == "" {
		return nil
	}
	events, err := s.warnings(ctx, name)
	if err != nil {
		return err
	}
	candidates := events[want.event]
	if want.event == anyReason {
		candidates = slices.Concat(slices.Collect(maps.Values(events))...)
	}
	if !slices.ContainsFunc(candidates, func(e corev1.Event) bool { return strings.Contains(e.Message, want.eventSays) }) {
		return fmt.Errorf("no Warning event %s says %q, but %q", want.event, want.eventSays, messages(events))
	}
	return nil
}

// anyReason matches an event with any reason.
const anyReason = "*"

// eventuallySoon is eventually with less patience.
func (s *story) eventuallySoon(check func(ctx context.Context) error) {
	s.t.Helper()
	clustertest.Eventually(s.t, answerTime, check)
}

// neighbour runs a correct Framework, and requires that it completes as always.
func (s *story) neighbour() {
	s.t.Helper()
	s.create("neighbour", roleOf(1, pod("run-for", "0s")))
	s.requireCompleted("neighbour", "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=0/0 code=0 Succeeded\n")
}

// unharmed requires that the controller's process outlives the test, and that nothing panicked in it. It is for tests
// that do not restart the controller themselves.
func unharmed(t *testing.T) {
	t.Helper()
	before := controller.run
	t.Cleanup(func() {
		select {
		case <-before.Ended():
			t.Errorf("the controller has ended: %v", before.Err())
		default:
		}
		if controller.run != before {
			t.Error("the controller was started again")
		}
		if lines := controller.logOf("a panic", 3); lines != "" {
			t.Errorf("the controller's log has:\n%s", lines)
		}
	})
}

// partOf is the same story within a part of the test.
func (s *story) partOf(t *testing.T) *story {
	part := *s
	part.t = t
	return &part
}
