package lifecycletest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// claim is a PersistentVolumeClaim. No cache has it: it is looked up.
type claim struct {
	// uid distinguishes claims of one name.
	uid types.UID
	// owner is the UID of the Framework with which the claim is deleted; empty if it stays.
	owner types.UID
	// foreign: somebody else's. deleting: it is removed when no Pod uses it.
	foreign, deleting bool
	// late: a request made it that nobody waited for any more, and nobody has found it since.
	late bool
}

// claimOf is the name of a claim.
func claimOf(c lifecycle.ClaimRef) name { return name{kind: claims, claim: c} }

// claimAnswered is how long an answer about a claim counts.
const claimAnswered = time.Minute

var errTaken = errors.New("taken by somebody else")

// keepClaim creates a claim, or finds it.
func (s *server) keepClaim(c lifecycle.ClaimRef, framework types.UID, retention v1.VolumeRetention, late bool) error {
	owner := framework
	if retention == v1.VolumeRetain {
		owner = ""
	}
	found := s.claims[c]
	switch {
	case found == nil:
		s.claimUIDs++
		s.claims[c] = &claim{uid: types.UID(fmt.Sprintf("claim-%d", s.claimUIDs)), owner: owner, late: late}
	case found.foreign, found.owner != owner:
		return errTaken
	case found.deleting:
		return errExists
	default:
		found.late = found.late && late
	}
	return nil
}

// deleteClaim deletes a claim that belongs to the Framework.
func (s *server) deleteClaim(c lifecycle.ClaimRef, framework types.UID) error {
	found := s.claims[c]
	if found == nil || found.owner != framework {
		return nil
	}
	found.deleting = true
	if s.releaseClaim(c); s.claims[c] != nil {
		return errExists
	}
	return nil
}

// releaseClaim removes a claim that is being deleted, unless a Pod uses it.
func (s *server) releaseClaim(c lifecycle.ClaimRef) {
	if s.claims[c].deleting && !s.usesClaim(c) {
		delete(s.claims, c)
	}
}

// usesClaim reports whether a Pod uses a claim.
func (s *server) usesClaim(c lifecycle.ClaimRef) bool {
	return slices.ContainsFunc(s.listed(pods, func(*object) bool { return true }), func(o *object) bool { return slices.Contains(o.pod.claims, c) })
}

// collectClaims is the garbage collector for claims, with the protection of claims in use.
func (s *server) collectClaims() {
	framework := s.objects[theFramework]
	for _, c := range sortedClaims(s.claims) {
		if owner := s.claims[c].owner; owner != "" && (framework == nil || framework.uid != owner) {
			s.claims[c].deleting = true
		}
		s.releaseClaim(c)
	}
}

func sortedClaims[V any](of map[lifecycle.ClaimRef]V) []lifecycle.ClaimRef {
	return slices.SortedFunc(maps.Keys(of), func(a, b lifecycle.ClaimRef) int {
		return cmp.Or(cmp.Compare(a.Volume, b.Volume), cmp.Compare(a.Per, b.Per), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index))
	})
}

// claimsOf are the claims that the Pod of a Task uses by the spec.
func claimsOf(spec *v1.FrameworkSpec, ref lifecycle.TaskRef) (out []lifecycle.ClaimRef) {
	for i := range spec.Volumes {
		if v := &spec.Volumes[i]; v.For(ref.Role) {
			out = append(out, lifecycle.Claim(v, ref))
		}
	}
	return out
}

func (c *controller) prepareClaim(f *flight, of lifecycle.ClaimRef, keeps bool) {
	framework, retention := c.latest.uid, v1.VolumeDelete
	if v := c.latest.framework.spec.Volume(of.Volume); v != nil {
		retention = v.Retained()
	}
	c.note(f.name).claim = lifecycle.ClaimView{}
	f.send = func() error {
		return c.faults.request(f.action, c.server, func(late bool) error {
			if keeps {
				return c.server.keepClaim(of, framework, retention, late)
			}
			return c.server.deleteClaim(of, framework)
		})
	}
	f.take = func(err error) {
		if err != nil {
			if keeps {
				c.setBlocker(f.name, &waiting.Fact{Reason: reason.NameConflict, Words: f.action.String() + ": " + err.Error()})
			} else {
				c.setBlocker(f.name, nil) // a claim that Pods still use is nothing to wait for
			}
			c.retryLater(f.name)
			return
		}
		c.note(f.name).claim, c.note(f.name).claimAt = lifecycle.ClaimView{Kept: keeps, Gone: !keeps}, c.server.now
		c.setBlocker(f.name, nil)
		c.changed(f.name)
	}
}

// forgetClaims: the next Pod of the Task looks for its claims again, as somebody may have deleted them until then.
func (c *controller) forgetClaims(of name) {
	for n, note := range c.notes {
		if n.kind == claims && of.kind == pods && n.claim.Per == v1.VolumePerTask && n.claim.Role == of.ref.Role && n.claim.Index == of.ref.Index {
			note.claim = lifecycle.ClaimView{}
		}
	}
}

// lookAtUsers has the Tasks looked at that wait for a claim.
func (c *controller) lookAtUsers(of lifecycle.ClaimRef) {
	if of.Per == v1.VolumePerTask {
		c.dirty[lifecycle.TaskRef{Role: of.Role, Index: of.Index}] = true
	} else {
		c.full = true
	}
}

func (c *controller) viewClaims() map[lifecycle.ClaimRef]lifecycle.ClaimView {
	out := map[lifecycle.ClaimRef]lifecycle.ClaimView{}
	for n, note := range c.notes {
		if n.kind == claims && c.server.now.Before(note.claimAt.Add(claimAnswered)) {
			out[n.claim] = note.claim
		}
	}
	return out
}

// parseVolume reads name/per/retention or name/per/retention/role, or no/name, which takes it out.
func parseVolume(value string, spec *v1.FrameworkSpec) error {
	words := strings.Split(value, "/")
	if len(words) < 2 {
		return fmt.Errorf("volume wants name/per/retention/role or no/name")
	}
	named := words[0]
	if named == "no" {
		named = words[1]
	}
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v v1.VolumeSpec) bool { return v.Name == named })
	if words[0] == "no" {
		return nil
	}
	v := v1.VolumeSpec{Name: named, MountPath: "/" + named, Per: v1.VolumePer(words[1]), Claim: []byte("{}")}
	if len(words) > 2 {
		v.Retention = v1.VolumeRetention(words[2])
	}
	if len(words) > 3 {
		v.Role = words[3]
	}
	spec.Volumes = append(spec.Volumes, v)
	return nil
}

// Claim is a PersistentVolumeClaim that exists.
type Claim struct {
	lifecycle.ClaimRef
	UID types.UID
	// Foreign: it is somebody else's. Deleting: it is removed when no Pod uses it. Used: a Pod does. Owned: it is deleted with its
	// Framework. Late: a request made it after its caller had given up, and nobody has found it since.
	Foreign, Deleting, Used, Owned, Late bool
}

// Claims returns the claims that exist, sorted.
func (s *Story) Claims() []Claim {
	var out []Claim
	for _, c := range sortedClaims(s.server.claims) {
		found := s.server.claims[c]
		out = append(out, Claim{c, found.uid, found.foreign, found.deleting, s.server.usesClaim(c), found.owner != "", found.late})
	}
	return out
}

func (c Claim) String() string {
	words := []string{"claim", c.ClaimRef.String(), string(c.UID)}
	if c.Foreign {
		words = append(words, "foreign")
	} else if !c.Owned {
		words = append(words, "retained")
	}
	if c.Deleting {
		words = append(words, "deleting")
	}
	return strings.Join(words, " ")
}

// parseClaim reads volume, volume/role or volume/role/index.
func parseClaim(arg string) (c lifecycle.ClaimRef, err error) {
	words := strings.Split(arg, "/")
	c = lifecycle.ClaimRef{Volume: words[0], Per: v1.VolumePerFramework}
	if len(words) > 1 {
		c.Role, c.Per = words[1], v1.VolumePerRole
	}
	if len(words) > 2 {
		c.Per = v1.VolumePerTask
		c.Index, err = parseInt32(words[2])
	}
	return c, err
}

// claimCommand: "claim volume[/role[/index]] taken|free|deleted": somebody takes the name of a claim, frees it, or deletes the claim.
func (s *Story) claimCommand(args []string, _ string) error {
	if len(args) != 2 {
		return fmt.Errorf("claim wants a name, and taken, free or deleted")
	}
	c, err := parseClaim(args[0])
	if err != nil {
		return err
	}
	found := s.server.claims[c]
	switch {
	case args[1] == "taken" && found == nil:
		s.server.claims[c] = &claim{uid: "foreign", foreign: true}
	case args[1] == "free" && found != nil && found.foreign:
		delete(s.server.claims, c)
	case args[1] == "deleted" && found != nil && !found.foreign:
		found.deleting = true // it is removed later, as its finalizer demands
	}
	return nil
}

// freeClaims deletes all claims that somebody has to delete before the controller can go on, as the wait for the name advises: claims of
// others, and claims with another retention that the controller retained or does not know of. One that is being deleted already goes by
// force, since a Pod that uses it may run for ever, unless that is the Pod of the only Task that may wait for it.
func (s *server) freeClaims() {
	for _, c := range sortedClaims(s.claims) {
		found := s.claims[c]
		if found.foreign || found.deleting && c.Per != v1.VolumePerTask {
			delete(s.claims, c)
		} else if (found.owner == "" || found.late) && s.otherRetention(c) {
			found.deleting = true
		}
	}
}

// otherRetention reports whether the spec has a volume whose claim would have the name of that one, and another retention.
func (s *server) otherRetention(c lifecycle.ClaimRef) bool {
	framework := s.objects[theFramework]
	if framework == nil {
		return false
	}
	v := framework.framework.spec.Volume(c.Volume)
	return v != nil && v.SharedBy() == c.Per && (v.Retained() == v1.VolumeRetain) != (s.claims[c].owner == "")
}
