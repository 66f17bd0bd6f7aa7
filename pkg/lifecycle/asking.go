package lifecycle

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
)

// Asking lists the decisions about a Framework for which plugins are asked. The caller answers every question in the end,
// with the built-in rule if no plugin has an opinion. The zero value asks no plugin.
type Asking struct {
	// Classification: a failed Pod stays undecided until there is a Verdict on it.
	Classification bool
	// Start: a Pod that does not start within a startDeadline stays undecided until there is a StartVerdict on it.
	Start bool
	// Completion: the attempt stays undecided until there is a Decision on its Tasks' outcomes.
	Completion bool
	// Archive: no ended attempt is dropped before it is archived.
	Archive bool
	// Logs: no Pod that has logs is deleted before they are collected.
	Logs bool
	// Hints: no Task gets its first Pod before hints for the Framework's scale are stored and prepared.
	Hints bool
}

// Verdict is the meaning of a Pod's failure.
type Verdict struct {
	// PodUID identifies the Pod; a verdict on any other Pod is ignored.
	PodUID types.UID
	Status v1.CompletionStatus
	// Advice about the retry; nil if there is none.
	Advice *v1.RetryAdvice
	// AvoidNode is the advice on the Pod's node; nil if there is none.
	AvoidNode *avoid.Advice
	// MemoryFactor is the advice on the memory of the container that failed: above 1, and at most v1.MaxAdvisedMemoryFactor; 0 if
	// there is none.
	MemoryFactor float64
}

// judged reports whether the meaning of the Pod's failure is known, or does not matter.
func (t task) judged(pod *Pod) bool {
	verdict := t.view().Verdict
	return !t.r.in.Asking.Classification || !t.undecided() || verdict != nil && verdict.PodUID == pod.UID
}

// Decision on whether an attempt ends.
type Decision struct {
	// Digest of the question, which is the present one, or an earlier one about the same attempt and spec; any other answer
	// is ignored.
	Digest string
	Kind   DecisionKind
	// Trigger is the Task that decides on Succeeded and Failed; nil if it is none in particular.
	Trigger *TaskRef
	// Message is the reason, for people.
	Message string
	// Status is the outcome of Failed without a Trigger.
	Status v1.CompletionStatus
	// Source is the plugin that decided, unless Kind is DecideBuiltIn.
	Source v1.CompletionSource
}

// DecisionKind is the result of a Decision.
type DecisionKind int

// The kinds of decisions.
const (
	// DecideBuiltIn leaves it to the frameworkAttemptCompletionPolicy.
	DecideBuiltIn DecisionKind = iota
	DecideContinue
	DecideSucceeded
	DecideFailed
)

// applyDecision ends the attempt if an answer demands it. The answer may be about fewer Tasks than have completed by now: they
// keep completing while a policy thinks, and an attempt that ends with fewer would have ended then.
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
