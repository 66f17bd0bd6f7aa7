package lifecycle

import (
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A volume of the spec is one PersistentVolumeClaim for the Framework, for each role, or for each Task. Its entries in the status say
// which claims there may be: with per Task those of the Tasks with lower indices, so that one number tells of 10,000 claims. An entry is
// raised in the write before a claim is created, and lowered when the claim is known to be gone, so that none is forgotten after a crash.
//
// Claims outlive attempts. With retention Delete, the claims of Tasks and roles that a rescale has removed, and of a volume that the spec
// no longer has, are deleted from the end; with Retain, none is ever deleted. A claim that is needed again stays if its deletion was not
// requested yet. Otherwise its own users, and nobody else, wait until it is gone, and get a new one: a deletion cannot be taken back. A
// volume that the spec has in another form ends as its entry says.

// ClaimRef names a PersistentVolumeClaim of a volume of the Framework.
type ClaimRef struct {
	Volume string
	// Per is never empty.
	Per v1.VolumePer
	// Role is empty if the whole Framework shares the claim.
	Role string
	// Index of the Task; 0 unless each Task has its own.
	Index int32
}

// Name returns the name of the claim.
func (c ClaimRef) Name(framework string) string {
	return v1.ClaimName(framework, c.Volume, c.Per, c.Role, c.Index)
}

// ClaimView is the knowledge about the name of a claim. The zero value knows nothing.
type ClaimView struct {
	// Kept: the claim exists, the Framework may use it, and it is not being deleted.
	Kept bool
	// Gone: no object of that name belongs to the Framework.
	Gone bool
}

// Claim returns the claim of a volume that a Task uses.
func Claim(v *v1.VolumeSpec, of TaskRef) ClaimRef {
	c := ClaimRef{Volume: v.Name, Per: v.SharedBy()}
	if c.Per != v1.VolumePerFramework {
		c.Role = of.Role
	}
	if c.Per == v1.VolumePerTask {
		c.Index = of.Index
	}
	return c
}

// claimsAtOnce is how many claims of an entry are deleted at once. An entry removes claims from the end, so no others can have been
// requested to be deleted: a stored status relies on that, so the number must not be raised.
const claimsAtOnce = 100

// claimed reports whether the claims of the Task are there. Those that are missing are requested.
func (t task) claimed() bool {
	all := true
	spec := t.r.in.Framework.Spec
	for i := range spec.Volumes {
		v := &spec.Volumes[i]
		if !v.For(t.role.name) || spec.Volume(v.Name) != v {
			continue
		}
		if slices.Contains(t.r.created, t.role) { // the gate is stored first, as in a round that does not look at all Tasks
			t.r.requeue(t.ref())
			return false
		}
		if !t.r.keepClaim(v, Claim(v, t.ref())) {
			all = false
		}
	}
	return all
}

// keepClaim reports whether a claim is there, and otherwise requests it, unless an earlier one of that name has to go first.
func (r *round) keepClaim(v *v1.VolumeSpec, c ClaimRef) bool {
	i := r.volumeEntry(v, c)
	entry := r.status.Volumes[i]
	if entry.Retention != v.Retained() || entry.Removing > 0 && c.Index >= firstRemoved(entry) {
		return false
	}
	if at := slices.Index(entry.Replacing, c.Index); at >= 0 {
		if !r.in.Observed.Claims[c].Gone {
			return false // stepVolumes deletes it
		}
		entry.Replacing = slices.Delete(slices.Clone(entry.Replacing), at, at+1)
		r.setVolume(i, entry)
	}
	if entry.Claims <= c.Index {
		entry.Claims = c.Index + 1
		r.setVolume(i, entry)
	}
	if r.in.Observed.Claims[c].Kept {
		return true
	}
	if !r.keeping[c] {
		if r.keeping == nil {
			r.keeping = map[ClaimRef]bool{}
		}
		r.keeping[c] = true
		r.do(KeepClaim{c})
	}
	return false
}

func isEntryOf(c ClaimRef, e v1.VolumeStatus) bool {
	return e.Name == c.Volume && e.Per == c.Per && e.Role == c.Role
}

// volumeKey identifies an entry of the status.
type volumeKey struct {
	volume string
	per    v1.VolumePer
	role   string
}

// volumeEntry returns the position of the entry for a claim, which it adds if need be. There may be thousands of entries, and ten
// thousand Tasks that need a claim.
func (r *round) volumeEntry(v *v1.VolumeSpec, c ClaimRef) int {
	if r.volumeAt == nil {
		r.volumeAt = make(map[volumeKey]int, len(r.status.Volumes))
		for i, e := range slices.Backward(r.status.Volumes) { // of equal entries, the first counts
			r.volumeAt[volumeKey{e.Name, e.Per, e.Role}] = i
		}
	}
	key := volumeKey{c.Volume, c.Per, c.Role}
	i, known := r.volumeAt[key]
	if !known {
		i = len(r.status.Volumes)
		r.ownVolumes()
		r.status.Volumes = append(r.status.Volumes, v1.VolumeStatus{Name: c.Volume, Per: c.Per, Role: c.Role, Retention: v.Retained()})
		r.volumeAt[key] = i
	}
	return i
}

// setVolumes replaces the entries by a list that no stored state has.
func (r *round) setVolumes(volumes []v1.VolumeStatus) {
	r.status.Volumes, r.ownsVolumes, r.volumeAt = volumes, true, nil
}

// ownVolumes makes the entries a list that no stored state has.
func (r *round) ownVolumes() {
	if !r.ownsVolumes {
		r.status.Volumes, r.ownsVolumes = slices.Clone(r.status.Volumes), true
	}
}

func (r *round) setVolume(i int, entry v1.VolumeStatus) {
	r.ownVolumes()
	r.status.Volumes[i] = entry
}

// stepVolumes removes the claims that are no longer needed. The claims of a Framework that is being deleted go with it, or stay.
func (r *round) stepVolumes() {
	if r.in.Framework.Deleting {
		return
	}
	var left []v1.VolumeStatus
	for _, entry := range r.status.Volumes {
		after, stays := r.stepVolume(entry)
		if stays {
			left = append(left, after)
		}
		if !stays || firstRemoved(after) > firstRemoved(entry) || len(after.Replacing) < len(entry.Replacing) {
			r.lookAtUsers(entry)
		}
	}
	if !sameVolumes(left, r.status.Volumes) {
		r.setVolumes(left)
	}
}

// stepVolume returns the entry afterwards; stays is false if it is no longer needed.
func (r *round) stepVolume(e v1.VolumeStatus) (after v1.VolumeStatus, stays bool) {
	needed, wanted := r.claimsNeeded(e)
	if e.Retention == v1.VolumeRetain {
		return e, wanted
	}
	e = replaceNeeded(e, needed)
	e.Removing = max(e.Claims-needed, 0)
	if e.Removing > 0 {
		e = r.removeClaims(e)
	}
	e.Replacing = r.replaceClaims(e)
	return e, wanted || e.Claims > 0
}

// replaceNeeded marks the claims that are removed, but needed again, and that may have been requested to be deleted.
func replaceNeeded(e v1.VolumeStatus, needed int32) v1.VolumeStatus {
	e.Replacing = slices.Clone(e.Replacing)
	for i := firstDeleted(e); i < min(needed, e.Claims); i++ {
		if !slices.Contains(e.Replacing, i) {
			e.Replacing = append(e.Replacing, i)
		}
	}
	return e
}

// claimsNeeded returns how many claims of an entry the spec, or a Task that has not been removed yet, needs. Wanted is false if the spec
// has no such volume, or no such role.
func (r *round) claimsNeeded(e v1.VolumeStatus) (needed int32, wanted bool) {
	v := r.in.Framework.Spec.Volume(e.Name)
	if v == nil || v.SharedBy() != e.Per || v.Retained() != e.Retention {
		return 0, false
	}
	if e.Per == v1.VolumePerFramework {
		return 1, true
	}
	tasks, exists := r.tasksNeeded(e.Role)
	switch {
	case !exists || !v.For(e.Role):
		return 0, false
	case e.Per == v1.VolumePerRole:
		return 1, true
	}
	return tasks, true
}

// tasksNeeded returns how many Tasks a role has or should have; exists is false if there is no such role.
func (r *round) tasksNeeded(name string) (tasks int32, exists bool) {
	if role := r.roleNamed(name); role != nil {
		return int32(max(len(role.tasks), role.wanted())), true
	}
	if spec := specsByName(r.in.Framework.Spec)[name]; spec != nil {
		return max(spec.TaskNumber, 0), true
	}
	return 0, false
}

// removeClaims deletes the last claims of an entry, and forgets those that have gone.
func (r *round) removeClaims(e v1.VolumeStatus) v1.VolumeStatus {
	first, all := firstDeleted(e), true
	for i := first; i < e.Claims; i++ {
		all = r.deleted(e, i) && all
	}
	if all {
		e.Claims, e.Removing = first, first-firstRemoved(e)
		r.out.Requeue = true
	}
	return e
}

// replaceClaims deletes the claims that are needed again, and returns which are left. The ones that have gone are forgotten together, which
// takes one write; a Task that needs its own earlier forgets that itself.
func (r *round) replaceClaims(e v1.VolumeStatus) (left []int32) {
	all := true
	for _, i := range e.Replacing {
		if i >= firstDeleted(e) {
			continue // it is no longer needed, and goes with the others
		}
		left = append(left, i)
		all = r.deleted(e, i) && all
	}
	if all {
		return nil
	}
	return left
}

// deleted reports whether a claim of an entry is gone, and deletes it otherwise.
func (r *round) deleted(e v1.VolumeStatus, index int32) bool {
	c := ClaimRef{Volume: e.Name, Per: e.Per, Role: e.Role, Index: index}
	if r.in.Observed.Claims[c].Gone {
		return true
	}
	r.do(DeleteClaim{c})
	return false
}

// firstRemoved is the lowest index of the claims that are no longer needed; the number of claims if all are.
func firstRemoved(e v1.VolumeStatus) int32 { return e.Claims - e.Removing }

// firstDeleted is the lowest index of the claims that are no longer needed and are deleted now, before the others; the number of claims if
// there are none.
func firstDeleted(e v1.VolumeStatus) int32 { return e.Claims - min(e.Removing, claimsAtOnce) }

// lookAtUsers has the Tasks looked at that may have waited for the removal of claims.
func (r *round) lookAtUsers(e v1.VolumeStatus) {
	for t := range r.tasks {
		if t.status().State == v1.AttemptCreationPending && (e.Role == "" || e.Role == t.role.name) {
			r.requeue(t.ref())
		}
	}
}

// MayKeep reports whether a claim exists or may be created, according to the state.
func (s *State) MayKeep(c ClaimRef) bool {
	return slices.ContainsFunc(s.status.Volumes, func(e v1.VolumeStatus) bool {
		return isEntryOf(c, e) && c.Index < firstRemoved(e) && !slices.Contains(e.Replacing, c.Index)
	})
}

// Removes reports whether a claim is being deleted, according to the state.
func (s *State) Removes(c ClaimRef) bool {
	return slices.ContainsFunc(s.status.Volumes, func(e v1.VolumeStatus) bool {
		return isEntryOf(c, e) && (firstRemoved(e) <= c.Index && c.Index < e.Claims || slices.Contains(e.Replacing, c.Index))
	})
}

func checkVolumes(volumes []v1.VolumeStatus) error {
	for i, e := range volumes {
		if e.Claims < 0 || e.Removing < 0 || e.Removing > e.Claims {
			return fmt.Errorf("volumes[%d] has %d claims, and removes %d", i, e.Claims, e.Removing)
		}
		for _, index := range e.Replacing {
			if index < 0 || index >= e.Claims {
				return fmt.Errorf("volumes[%d] has %d claims, and replaces the one of Task %d", i, e.Claims, index)
			}
		}
	}
	return nil
}

func sameVolumes(a, b []v1.VolumeStatus) bool { return slices.EqualFunc(a, b, sameVolume) }

func sameVolume(a, b v1.VolumeStatus) bool {
	return a.Name == b.Name && a.Per == b.Per && a.Role == b.Role && a.Retention == b.Retention &&
		a.Claims == b.Claims && a.Removing == b.Removing && slices.Equal(a.Replacing, b.Replacing)
}
