package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// claimCounts is how long an answer about a claim is valid. Claims are not watched: they are looked for before a Pod is created, and Pods
// of many Tasks may share one.
const claimCounts = time.Minute

// claimPermissions is the file with the permissions.
const claimPermissions = "deploy/volumes/claims.yaml"

var persistentVolumeClaims = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")

// claims is the knowledge about the claims of the Framework's volumes. The zero value knows nothing.
//
// Invariant: views has an entry for each claim that was answered and is known, and for no other.
type claims struct {
	known   map[lifecycle.ClaimRef]*claim
	views   map[lifecycle.ClaimRef]lifecycle.ClaimView
	answers []claimAnswer // in the order in which they were received
}

// claim is the knowledge about one claim.
type claim struct {
	facts    facts     // about its name: whether an action is under way, and when one has failed
	answered time.Time // when the last action on it succeeded; zero if it is not known how that stands
	// goingSince is when it was first found to be deleted and still there, and goingUntil when it is looked for again; zero if it was not.
	goingSince, goingUntil time.Time
}

// goingLooks bounds the pause between looks for a claim that is being deleted. Usually the Pod has just gone that used it; but a Pod may
// use it for weeks.
const goingLooks = time.Minute

// stillGoing plans the next look for a claim that is being deleted: the longer it is still there, the later.
func (c *claim) stillGoing(now time.Time) {
	if c.goingSince.IsZero() {
		c.goingSince = now
	}
	c.goingUntil = now.Add(min(max(now.Sub(c.goingSince), flowcontrol.FirstDelay), goingLooks))
}

type claimAnswer struct {
	claim lifecycle.ClaimRef
	at    time.Time
}

// claim returns the entry of a claim, created if need be.
func (c *claims) claim(ref lifecycle.ClaimRef) *claim {
	if c.known == nil {
		c.known, c.views = map[lifecycle.ClaimRef]*claim{}, map[lifecycle.ClaimRef]lifecycle.ClaimView{}
	}
	if c.known[ref] == nil {
		c.known[ref] = &claim{}
	}
	return c.known[ref]
}

// forget makes a claim be looked up again.
func (c *claims) forget(ref lifecycle.ClaimRef) {
	known := c.known[ref]
	if known == nil {
		return
	}
	delete(c.views, ref)
	known.answered = time.Time{}
	if !known.facts.inFlight {
		delete(c.known, ref)
	}
}

// observe returns the known facts at that time.
func (c *claims) observe(now time.Time) map[lifecycle.ClaimRef]lifecycle.ClaimView {
	for len(c.answers) > 0 && !now.Before(c.answers[0].at.Add(claimCounts)) {
		if old := c.answers[0]; c.known[old.claim] != nil && c.known[old.claim].answered.Equal(old.at) {
			c.forget(old.claim)
		}
		c.answers = c.answers[1:]
	}
	return c.views
}

// claimOf returns the claim that an action is about; ok is false if it is about something else.
func claimOf(a lifecycle.Action) (c lifecycle.ClaimRef, ok bool) {
	switch a := a.(type) {
	case lifecycle.KeepClaim:
		return a.Claim, true
	case lifecycle.DeleteClaim:
		return a.Claim, true
	}
	return lifecycle.ClaimRef{}, false
}

// taskThatAwaits returns the Task that waits for the creation of a claim; ok is false if several may, or the action is another one.
func taskThatAwaits(a lifecycle.Action) (ref lifecycle.TaskRef, ok bool) {
	keep, ok := a.(lifecycle.KeepClaim)
	return lifecycle.TaskRef{Role: keep.Claim.Role, Index: keep.Claim.Index}, ok && keep.Claim.Per == v1.VolumePerTask
}

// applyClaimResult records the result of an action on a claim. After the creation of a Pod, the Task's own claims are looked up again
// before the next one: somebody may delete them meanwhile.
func (r *record) applyClaimResult(n result, now time.Time) {
	claims := &r.dependents.claims
	if creation, ok := n.action.(lifecycle.CreatePod); ok && n.err == nil && len(claims.known) > 0 {
		for i := range r.framework.Spec.Volumes {
			if ref := lifecycle.Claim(&r.framework.Spec.Volumes[i], creation.Task); ref.Per == v1.VolumePerTask {
				claims.forget(ref)
			}
		}
	}
	ref, ok := claimOf(n.action)
	if _, deletes := n.action.(lifecycle.DeleteClaim); deletes && errors.Is(n.err, errStillThere) {
		claims.claim(ref).stillGoing(now)
	}
	if !ok || n.err != nil {
		return
	}
	_, kept := n.action.(lifecycle.KeepClaim)
	known := claims.claim(ref)
	known.answered, known.goingSince, known.goingUntil = now, time.Time{}, time.Time{}
	claims.views[ref] = lifecycle.ClaimView{Kept: kept, Gone: !kept}
	claims.answers = append(claims.answers, claimAnswer{ref, now})
}

// keepClaim creates a claim, or finds out whether the Framework may use the existing one.
func (p *performer) keepClaim(r *record, a lifecycle.KeepClaim) request {
	volume, framework, name := r.framework.Spec.Volume(a.Claim.Volume), owner(r), a.Claim.Name(r.key.Name)
	if volume == nil {
		return func(context.Context) result { return result{err: errHeldBack} } // the spec has changed since it was asked for
	}
	body, err := objects.Claim(framework, name, volume)
	if err != nil {
		return func(context.Context) result { return result{err: err} }
	}
	existing, retention := claimObject(p.clients, r, a.Claim), volume.Retained()
	return func(ctx context.Context) result {
		w := &apiserver.Warnings{}
		_, err := apiserver.SendForMetadata(apiserver.WithWarnings(ctx, w), p.clients.Core.CoreV1().RESTClient().Post().
			Namespace(framework.Namespace).Resource(persistentVolumeClaims.Resource).Param("fieldValidation", metav1.FieldValidationWarn).
			SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body))
		if !apierrors.IsAlreadyExists(err) {
			return result{err: pointingTo(claimPermissions, err), warnings: w.Texts()}
		}
		found, err := existing.get(ctx, name)
		if err != nil {
			return result{err: pointingTo(claimPermissions, err)}
		}
		return result{err: unusable(found, framework, retention)}
	}
}

// unusable returns why the Framework may not use an existing claim; nil if it may.
func unusable(found metav1.Object, framework objects.Owner, retention v1.VolumeRetention) error {
	switch {
	case found == nil:
		return errNameTaken // it was taken a moment ago
	case found.GetLabels()[v1.KeyFrameworkName] != framework.Name:
		return takenClaim(found, "does not belong to this Framework; delete it, rename the volume, or mount the claim in the template of the Pods")
	case found.GetDeletionTimestamp() != nil:
		return takenClaim(found, "is being deleted, and stays until no Pod uses it")
	case retention == v1.VolumeRetain && metav1.GetControllerOf(found) != nil, retention == v1.VolumeDelete && !controlledBy(found, framework.UID):
		return takenClaim(found, "is of an earlier Framework or volume with another retention; set retention to Retain if it is to be used, or delete it")
	}
	return nil
}

func takenClaim(found metav1.Object, why string) error {
	return fmt.Errorf("%w: PersistentVolumeClaim %s %s", errNameTaken, found.GetName(), why)
}

// deleteClaim deletes the Framework's claim of that name.
func (p *performer) deleteClaim(r *record, a lifecycle.DeleteClaim) request {
	delete := deleteOwned(claimObject(p.clients, r, a.Claim), r.uid)
	return func(ctx context.Context) result {
		outcome := delete(ctx)
		outcome.err = pointingTo(claimPermissions, outcome.err)
		return outcome
	}
}

// claimObject is the object under the name of a claim. Only its metadata are read.
func claimObject(c *apiserver.Clients, r *record, of lifecycle.ClaimRef) object {
	return metadataObject(c.Metadata.Resource(persistentVolumeClaims).Namespace(r.key.Namespace), of.Name(r.key.Name))
}
