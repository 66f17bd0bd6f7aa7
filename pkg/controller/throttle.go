package controller

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// largeTemplate is the size of a template, in bytes, from which the first Pod of a spec is sent alone. Its cost for the API
// server, which may be seconds of processor time for 14 KB, shows only then. Most templates are smaller.
const largeTemplate = 2 << 10

func hasLargeTemplate(spec *v1.FrameworkSpec) bool {
	return slices.ContainsFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return len(r.Task.Pod) >= largeTemplate })
}

// startable filters out the actions that cannot start now: another action on the same object is under way, whose result will
// schedule a round; or the Framework waits after a failure, and retries afterwards.
func (r *record) startable(actions []lifecycle.Action, now time.Time) []lifecycle.Action {
	var able []candidate
	for _, a := range actions {
		if isQuestion(a) {
			continue
		}
		if f := r.factsAbout(a); !f.inFlight && r.mayBegin(a, f, now) {
			able = append(able, r.blockers.candidate(a, f))
		}
	}
	return r.withinCapacity(ordered(able), now)
}

// mayBegin reports whether the action on that object may start now. If it has to wait, mayBegin schedules another look.
func (r *record) mayBegin(a lifecycle.Action, about *facts, now time.Time) bool {
	notBefore := r.blockers.breaker(a).OpenUntil()
	switch a := a.(type) {
	case lifecycle.DeleteConfigMap:
		// The garbage collector would not wait for a Pod that is created after it has looked.
		if awaits, until := r.dependents.awaitPods(now); awaits {
			r.schedule.retryNotAfter(until)
			return false
		}
		if a.Force {
			notBefore = later(notBefore, r.dependents.releaseAt)
		}
	case lifecycle.CreatePod:
		notBefore = later(notBefore, about.creation.refusals.backoff.Until())
	case lifecycle.DeleteClaim:
		known := r.dependents.claims.claim(a.Claim)
		notBefore = later(later(notBefore, about.creation.pendingUntil), known.goingUntil) // it may be created late, and vanish late
	}
	if now.Before(notBefore) {
		r.schedule.retryNotAfter(notBefore)
		return false
	}
	return true
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// withinCapacity filters out the actions for which their breaker has no capacity. The answer to the probe schedules them
// again; if the probe is not sent after all, a timer does.
func (r *record) withinCapacity(actions []lifecycle.Action, now time.Time) (out []lifecycle.Action) {
	capacity := map[*flowcontrol.Breaker]int{}
	for _, a := range actions {
		b := r.blockers.breaker(a)
		if _, known := capacity[b]; !known {
			capacity[b] = b.Capacity()
		}
		if capacity[b] == 0 {
			r.schedule.retryNotAfter(now.Add(flowcontrol.MaxDelay))
			continue
		}
		capacity[b]--
		out = append(out, a)
	}
	return out
}

// breaker returns the breaker for creations of one kind, or for everything else: a quota that refuses Pods must not block
// deletions.
func (b *blockers) breaker(a lifecycle.Action) *flowcontrol.Breaker {
	switch a.(type) {
	case lifecycle.CreateConfigMap:
		return b.configMaps
	case lifecycle.CreatePod:
		return b.pods
	case lifecycle.KeepCompanion:
		if b.companions == nil {
			b.companions = &flowcontrol.Breaker{} // few Frameworks have companions
		}
		return b.companions
	case lifecycle.KeepClaim:
		if b.claims == nil {
			b.claims = &flowcontrol.Breaker{} // few Frameworks have volumes
		}
		return b.claims
	case lifecycle.DeleteClaim: // a claim in use must not hold back other deletions
		if b.claimsGoing == nil {
			b.claimsGoing = &flowcontrol.Breaker{}
		}
		return b.claimsGoing
	}
	return b.others
}

// candidate is an action that can start, with its earlier failures.
type candidate struct {
	action lifecycle.Action
	// roleFailed is when a Pod of the same role could not be created, if none could since; zero otherwise.
	roleFailed time.Time
	// failedAt is the time of the action's last attempt if that failed; zero otherwise.
	failedAt time.Time
}

func (b *blockers) candidate(a lifecycle.Action, f *facts) candidate {
	out := candidate{action: a, failedAt: f.failedAt}
	if creation, ok := a.(lifecycle.CreatePod); ok {
		out.roleFailed = b.failingRoles[creation.Task.Role]
	}
	return out
}

// ordered puts the actions that are most likely to fail again last. A failure holds back the actions behind it, and after a
// failure the first one is sent alone: Pods of one role have one template, and usually fail for the same reason. Among similar
// actions, the one that has waited longest comes first.
func ordered(candidates []candidate) []lifecycle.Action {
	slices.SortStableFunc(candidates, func(x, y candidate) int {
		return cmp.Or(x.roleFailed.Compare(y.roleFailed), x.failedAt.Compare(y.failedAt))
	})
	out := make([]lifecycle.Action, len(candidates))
	for i := range candidates {
		out[i] = candidates[i].action
	}
	return out
}

// recordTried records whether an action has failed. An action that was not sent changes nothing.
func (b *blockers) recordTried(f *facts, n result, now time.Time) {
	if errors.Is(n.err, errHeldBack) {
		return
	}
	f.failedAt = time.Time{}
	if n.transient() {
		f.failedAt = now
	}
	creation, ok := n.action.(lifecycle.CreatePod)
	switch role := creation.Task.Role; {
	case !ok:
	case !n.transient():
		delete(b.failingRoles, role)
	case !n.ofItsObject():
		b.failingRoles[role] = now
	}
}

// refusals in a row of a Pod, each of them final, hold back the next creation under its name. Without a backoff, a refused
// attempt of the Task or the Framework is retried at once, and forever if its policy says so. The retries remain, but the API
// server is asked less often.
type refusals struct {
	any     bool                // the last creation was refused
	backoff flowcontrol.Backoff // from the second refusal on
}

// add records a refusal. A single one holds nothing back.
func (s *refusals) add(now time.Time) {
	if s.any {
		s.backoff.Fail(now)
	}
	s.any = true
}

// record processes the result of a creation. A temporary failure shows nothing about the next one.
func (s *refusals) record(n result, now time.Time) {
	var refused *refusedError
	switch {
	case n.err == nil:
		*s = refusals{}
	case errors.As(n.err, &refused):
		s.add(now)
	}
}

func refuse(a lifecycle.CreatePod, code completion.Code, cause error) request {
	outcome := refused(a, code, cause)
	return func(context.Context) result { return outcome }
}

func refused(a lifecycle.CreatePod, code completion.Code, cause error) result {
	refusal := lifecycle.Refusal{
		TaskUID:       a.TaskUID,
		TaskAttemptID: a.AttemptID,
		Code:          code,
		Diagnostics:   apiserver.Diagnose(cause),
	}
	return result{err: &refusedError{refusal, cause}}
}

// creationFailed distinguishes a refusal from a temporary failure (contract 4.6).
func (p *performer) creationFailed(ctx context.Context, namespace string, a lifecycle.CreatePod, e completion.CreationError, err error) result {
	code := completion.ClassifyCreationError(e)
	if code == completion.CodePodCreationTransientError || apierrors.IsForbidden(err) && !p.mayCreatePods(ctx, namespace) {
		return result{err: err}
	}
	return refused(a, code, err)
}

// creationError describes an error after the Pod has been awaited for this time.
func creationError(err error, waited time.Duration) completion.CreationError {
	out := completion.CreationError{Message: err.Error(), ConnectionLost: connectionLost(err), Waited: waited}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		out.Reason, out.Status = string(status.Status().Reason), status.Status().Code
	}
	return out
}

// mayCreatePods reports whether our own permissions allow us to create Pods. If they do not, a refusal shows nothing about the
// Pod, and the Task waits instead of failing (decisions, W12). If the API server does not answer, we assume that they do not: a
// wait can be corrected later.
func (p *performer) mayCreatePods(ctx context.Context, namespace string) bool {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Resource: "pods"},
	}}
	answer, err := p.clients.Core.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	return err == nil && answer.Status.Allowed
}

// connectionLost reports whether an error also looks like a broken connection.
func connectionLost(err error) bool {
	var netError net.Error
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &netError)
}
