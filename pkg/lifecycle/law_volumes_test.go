package lifecycle_test

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// naiveClaims are the claims of a Task by the spec. The API server accepts each name of a volume once; otherwise the first counts.
func naiveClaims(spec *v1.FrameworkSpec, ref lifecycle.TaskRef) (out []lifecycle.ClaimRef) {
	for i, v := range spec.Volumes {
		switch {
		case slices.ContainsFunc(spec.Volumes[:i], func(before v1.VolumeSpec) bool { return before.Name == v.Name }):
		case v.Role != "" && v.Role != ref.Role:
		case v.Per == v1.VolumePerTask:
			out = append(out, lifecycle.ClaimRef{Volume: v.Name, Per: v.Per, Role: ref.Role, Index: ref.Index})
		case v.Per == v1.VolumePerRole:
			out = append(out, lifecycle.ClaimRef{Volume: v.Name, Per: v.Per, Role: ref.Role})
		default:
			out = append(out, lifecycle.ClaimRef{Volume: v.Name, Per: v1.VolumePerFramework})
		}
	}
	return out
}

// lawClaims: a Pod is created only once all its claims are known to exist; the stored state lists each claim before it is created, and
// each removal before it is requested. The claim of a Task that the spec wants is not deleted.
func (c *checker) lawClaims(in lifecycle.Input, out lifecycle.Output) {
	for _, action := range out.Actions {
		switch a := action.(type) {
		case lifecycle.CreatePod:
			for _, claim := range naiveClaims(in.Framework.Spec, a.Task) {
				if !in.Observed.Claims[claim].Kept || !out.State.MayKeep(claim) {
					c.violationf("claims: before the Pod", "%s without %s: %s", a, claim, text(out.State.Status()))
				}
			}
		case lifecycle.KeepClaim:
			if !out.State.MayKeep(a.Claim) || out.State.Removes(a.Claim) {
				c.violationf("claims: stored before", "%s: %s", a, text(out.State.Status()))
			}
		case lifecycle.DeleteClaim:
			c.lawDeleteClaim(in, out, a)
		}
	}
}

func (c *checker) lawDeleteClaim(in lifecycle.Input, out lifecycle.Output, a lifecycle.DeleteClaim) {
	if !out.State.Removes(a.Claim) || in.Framework.Deleting {
		c.violationf("claims: stored before", "%s: %s", a, text(out.State.Status()))
	}
	for _, e := range out.State.Framework().Volumes {
		if e.Name == a.Claim.Volume && e.Per == a.Claim.Per && e.Role == a.Claim.Role && e.Retention == v1.VolumeRetain {
			c.violationf("claims: Retain retains", "%s", a)
		}
	}
}

// lawClaimsStay: somebody else's claim exists until they remove it, and a retained one until somebody deletes it.
func (c *checker) lawClaimsStay() {
	present := c.story.Claims()
	for _, before := range c.claims {
		gone := !slices.ContainsFunc(present, func(after lifecycletest.Claim) bool {
			return after.UID == before.UID && after.ClaimRef == before.ClaimRef
		})
		if gone && !before.Foreign && !before.Deleting && !before.Owned {
			c.violationf("claims: Retain retains", "%s is gone", before)
		}
		if i := slices.IndexFunc(present, func(after lifecycletest.Claim) bool { return after.ClaimRef == before.ClaimRef }); i >= 0 && before.Foreign && !present[i].Foreign && before.UID == present[i].UID {
			c.violationf("claims: of others", "%s has become %s", before, present[i])
		}
	}
	c.claims = present
}

// lawClaimsSettled: in the end, no claim is left that belongs to a removed Task, or that is to be replaced, except claims that Pods use. A
// claim whose creation arrives after its removal is left as well: nobody knows of it, and it goes with the Framework.
func (c *checker) lawClaimsSettled(state *lifecycle.State) {
	framework := c.story.Object()
	if framework == nil || framework.DeletionTimestamp != nil {
		return
	}
	for _, claim := range c.story.Claims() {
		if claim.Owned && !claim.Late && !claim.Deleting && !state.MayKeep(claim.ClaimRef) && !state.Removes(claim.ClaimRef) {
			c.violationf("claims: none is forgotten", "%s: %s", claim, text(state.Status()))
		}
	}
	for _, e := range state.Framework().Volumes {
		if (e.Removing > 0 || len(e.Replacing) > 0) && len(c.story.Pods()) == 0 {
			c.violationf("claims: removal ends", "%s", text(state.Status()))
		}
	}
}

// waitsForRemoval reports whether a Task waits until an earlier claim is gone that Pods of others use: a claim that it shares with them, or
// any claim of a volume that has its name, and another retention.
func (c *checker) waitsForRemoval(ref lifecycle.TaskRef, task *v1.TaskStatus) bool {
	if task.State != v1.AttemptCreationPending {
		return false
	}
	for _, own := range naiveClaims(c.spec, ref) {
		for _, claim := range c.story.Claims() {
			if claim.Deleting && claim.Used && (claim.ClaimRef == own && own.Per != v1.VolumePerTask || c.isOfAnotherForm(claim.ClaimRef, own)) {
				return true
			}
		}
	}
	return false
}

// isOfAnotherForm reports whether a claim is being removed because its volume has got another retention. The other claim is one of the volume
// as it is now.
func (c *checker) isOfAnotherForm(claim, like lifecycle.ClaimRef) bool {
	return claim.Volume == like.Volume && claim.Per == like.Per && claim.Role == like.Role && c.stored.Removes(claim) &&
		c.spec.Volume(like.Volume).Retained() != v1.VolumeDelete
}
