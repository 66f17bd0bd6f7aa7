package lifecycle

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
)

// Asking says which decisions about a Framework plugins have a say in. Whoever performs the questions answers all of
// them in the end, with the rule that is built in if no plugin has an opinion. The zero value asks nobody.
type Asking struct {
	// Classification: a failed Pod stays undecided until there is a Verdict on it.
	Classification bool
	// Start: a Pod that does not get to run within a startDeadline stays undecided until there is a StartVerdict on it.
	Start bool
	// Completion: the attempt stays undecided until there is a Decision on what its Tasks have come to.
	Completion bool
	// Hints: no Task gets its first Pod before hints for the Framework's scale are stored and prepared.
	Hints bool
}

// Verdict says what a Pod's failure means.
type Verdict struct {
	// PodUID is that of the Pod; a verdict on any other is ignored.
	PodUID types.UID
	Status v1.CompletionStatus
	// Advice about the retry; nil if there is none.
	Advice *v1.RetryAdvice
	// AvoidNode is what becomes of the Pod's node; nil if nothing does.
	AvoidNode *avoid.Advice
}

// judged reports whether it is known what the failure of the Pod means, or whether that does not matter.
func (t task) judged(pod *Pod) bool {
	verdict := t.view().Verdict
	return !t.r.in.Asking.Classification || !t.undecided() || verdict != nil && verdict.PodUID == pod.UID
}

// Decision says whether an attempt is to end.
type Decision struct {
	// Digest of the question, which is the present one, or an earlier one about the same attempt and spec; any other answer
	// is ignored.
	Digest string
	Kind   DecisionKind
	// Trigger is the Task that Succeeded and Failed go by; nil if it is none in particular.
	Trigger *TaskRef
	// Message says why, for people.
	Message string
	// Status is the outcome of Failed without a Trigger.
	Status v1.CompletionStatus
	// Source is who has decided so, unless Kind is DecideBuiltIn.
	Source v1.CompletionSource
}

// DecisionKind is what a Decision comes to.
type DecisionKind int

// The kinds of decisions.
const (
	// DecideBuiltIn leaves it to the frameworkAttemptCompletionPolicy.
	DecideBuiltIn DecisionKind = iota
	DecideContinue
	DecideSucceeded
	DecideFailed
)

// applyDecision ends the attempt if an answer says so. It may be about fewer Tasks than have completed by now: they keep
// completing while a policy thinks, and what ends an attempt with fewer would have ended it then.
func (r *round) applyDecision() {
	d := r.in.Observed.Decision
	if d == nil {
		return
	}
	asked, ok := r.parseDigest(d.Digest)
	if !ok {
		return
	}
	switch d.Kind {
	case DecideBuiltIn:
		r.applyCompletionPolicy(asked)
	case DecideSucceeded:
		r.completeAttempt(d.outcome(predefined(completion.CodeSucceeded, d.Message)))
	case DecideFailed:
		r.completeAttempt(d.outcome(r.failure(d)))
	}
}

// failure is the outcome of the trigger, or the decision's own.
func (r *round) failure(d *Decision) v1.FrameworkAttemptCompletionStatus {
	if d.Trigger != nil {
		if t, found := r.taskNamed(*d.Trigger); found && !t.undecided() {
			return inherit(t, d.Message)
		}
	}
	return v1.FrameworkAttemptCompletionStatus{CompletionStatus: d.Status}
}

func (d *Decision) outcome(s v1.FrameworkAttemptCompletionStatus) v1.FrameworkAttemptCompletionStatus {
	source := d.Source
	s.Source = &source
	if d.Trigger != nil && s.Trigger == nil { // not inherited
		s.Trigger = &v1.CompletionTrigger{Message: d.Message, TaskRoleName: d.Trigger.Role, TaskIndex: d.Trigger.Index}
	}
	return s
}

// askForDecision asks once Tasks have completed, and again whenever something has changed that the answer could depend
// on.
func (r *round) askForDecision() {
	if !r.in.Asking.Completion || r.stopping() || r.completedCount() == 0 {
		return
	}
	digest := r.digest(r.completedCounts())
	if d := r.in.Observed.Decision; d == nil || d.Digest != digest {
		r.do(DecideCompletion{digest})
	}
}

func (r *round) taskNamed(ref TaskRef) (t task, found bool) {
	role := r.roleNamed(ref.Role)
	if role == nil || ref.Index < 0 || int(ref.Index) >= len(role.tasks) {
		return task{}, false
	}
	return task{r, role, ref.Index}, true
}
