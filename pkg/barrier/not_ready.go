package barrier

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// maxNamed limits the number of Tasks that are named: all of them would not fit where the text is read.
const maxNamed = 20

// notReady names the Tasks without an address, and the known causes. A barrier may read only Frameworks, so the cause
// that keeps a Pod from starting comes from the Framework's condition.
func (f *framework) notReady() string {
	c := f.count()
	var out strings.Builder
	fmt.Fprintf(&out, "%d of %d Tasks have an address", c.ready, c.total)
	separator, more := "; late: ", 0
	f.eachNotReady(func(pod, why string) {
		if more++; more > maxNamed {
			return
		}
		fmt.Fprintf(&out, "%s%s (%s)", separator, pod, why)
		separator = ", "
	})
	if more > maxNamed {
		fmt.Fprintf(&out, " and %d more", more-maxNamed)
	}
	fmt.Fprintf(&out, "; the Framework is %s", f.stateInWords())
	return out.String()
}

// eachNotReady calls visit for every Task that the spec asks for and that is not ready, in the order of the spec.
func (f *framework) eachNotReady(visit func(pod, why string)) {
	for _, wanted := range f.spec.TaskRoles {
		if f.heldBack(&wanted) {
			continue
		}
		there := f.tasksOf(wanted.Name, wanted.TaskNumber)
		for i := range wanted.TaskNumber {
			pod, why := v1.PodName(f.name, wanted.Name, i), "not begun"
			if int(i) < len(there) {
				if there[i].ready() || there[i].awaitsTurn {
					continue
				}
				why = there[i].why()
			}
			visit(pod, why)
		}
	}
}

// why describes the progress of a Task that is not ready.
func (t task) why() string {
	var s v1.TaskStatus
	if err := json.Unmarshal(t.state, &s); err != nil {
		return "its status does not decode"
	}
	out := string(s.State)
	if s.AttemptStatus.ID > 0 {
		out += fmt.Sprintf(" in attempt %d", s.AttemptStatus.ID)
	}
	switch {
	case t.deletionPending:
		return out + ", being removed by a scale-down"
	case s.AttemptStatus.CompletionStatus != nil:
		return fmt.Sprintf("%s, %s (%d)%s", out, s.AttemptStatus.CompletionStatus.Phrase, s.AttemptStatus.CompletionStatus.Code, delay(&s))
	case s.AttemptStatus.PodUID == nil:
		return out + ", no Pod yet"
	case t.node == "":
		return out + ", on no node yet"
	}
	return out + " on " + t.node + ", no address yet"
}

// delay describes how long a Task that has ended waits for its next attempt; empty if it does not.
func delay(s *v1.TaskStatus) string {
	seconds := s.RetryPolicyStatus.RetryDelaySec
	if seconds == nil || *seconds <= 0 {
		return ""
	}
	return fmt.Sprintf(", retried %d s after %s", *seconds, s.TransitionTime.UTC().Format(time.RFC3339))
}

// stateInWords is the Framework's state, and the reason for its waiting.
func (f *framework) stateInWords() string {
	if f.state == "" {
		return "without a status: is its controller running?"
	}
	var conditions []metav1.Condition
	_ = json.Unmarshal(f.conditions, &conditions) // the original writes none
	for _, c := range conditions {
		if c.Type == v1.ConditionWaiting && c.Status == metav1.ConditionTrue {
			return fmt.Sprintf("%s, waiting: %s: %s", f.state, c.Reason, c.Message)
		}
	}
	return string(f.state)
}

// abbreviate returns a text of at most that many bytes: a longer one ends in dots.
func abbreviate(text string, most int) string {
	const dots = "..."
	if len(text) <= most {
		return text
	}
	return completion.Cut(text, most-len(dots)) + dots
}
