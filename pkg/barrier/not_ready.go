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

// maxNamed is how many Tasks are named: all of them would not fit where this is read.
const maxNamed = 20

// notReady says which Tasks have no address, and what is known of the cause. A barrier may read Frameworks only, so
// what keeps a Pod from starting is what the Framework's condition says.
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
				if there[i].ready() {
					continue
				}
				why = there[i].why()
			}
			visit(pod, why)
		}
	}
}

// why says how far a Task is that is not ready.
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

// delay says for how long a Task that has ended waits for its next attempt; empty if it does not.
func delay(s *v1.TaskStatus) string {
	seconds := s.RetryPolicyStatus.RetryDelaySec
	if seconds == nil || *seconds <= 0 {
		return ""
	}
	return fmt.Sprintf(", tried again %d s after %s", *seconds, s.TransitionTime.UTC().Format(time.RFC3339))
}

// stateInWords is the Framework's state, and what it waits for.
func (f *framework) stateInWords() string {
	if f.state == "" {
		return "without a status: is its controller running?"
	}
	var conditions []metav1.Condition
	json.Unmarshal(f.conditions, &conditions) // those of the original are none
	for _, c := range conditions {
		if c.Type == v1.ConditionWaiting && c.Status == metav1.ConditionTrue {
			return fmt.Sprintf("%s, waiting: %s: %s", f.state, c.Reason, c.Message)
		}
	}
	return string(f.state)
}

// abbreviate returns a text of at most so many bytes: one that is longer ends in dots.
func abbreviate(text string, most int) string {
	const dots = "..."
	if len(text) <= most {
		return text
	}
	return completion.Cut(text, most-len(dots)) + dots
}
