package checker

import (
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// claims holds what is promised of volumes: a Pod is created after its claims are stored, no claim is removed whose volume is to be
// retained, and a claim is forgotten only after its removal was stored.
type claims struct {
	// most has how many claims an entry has had, by Framework and entry.
	most map[entryOf]int32
}

type entryOf struct {
	framework types.UID
	name      string
	per       v1.VolumePer
	role      string
}

func entryIn(f *framework, e v1.VolumeStatus) entryOf { return entryOf{f.UID, e.Name, e.Per, e.Role} }

func (r *claims) see(t *replay, c change) {
	if r.most == nil {
		r.most = map[entryOf]int32{}
	}
	switch {
	case c.framework != nil && c.framework.after != nil && c.framework.after.Status != nil:
		r.stored(t, c)
	case c.pod != nil && c.pod.before == nil && c.pod.after.made.ours() && t.audit.mayHaveCreated(c.pod.after.UID):
		r.created(t, c)
	}
}

func (r *claims) stored(t *replay, c change) {
	after := c.framework.after
	for _, e := range after.Status.Volumes {
		r.most[entryIn(after, e)] = max(r.most[entryIn(after, e)], e.Claims)
		t.hold(Claims, c.subject(), 0 <= e.Removing && e.Removing <= e.Claims, "volume %s has %d claims, of which %d are being removed", e.Name, e.Claims, e.Removing)
		for _, index := range e.Replacing {
			t.hold(Claims, c.subject(), 0 <= index && index < e.Claims, "volume %s has %d claims, and replaces the one of Task %d", e.Name, e.Claims, index)
		}
		t.hold(Claims, c.subject(), e.Retention != v1.VolumeRetain || e.Removing == 0 && len(e.Replacing) == 0, "claims of volume %s are being removed, and are to be retained", e.Name)
	}
	before := c.framework.before
	if before == nil || before.UID != after.UID || before.Status == nil {
		return
	}
	for _, old := range before.Status.Volumes {
		left := int32(0)
		for _, e := range after.Status.Volumes {
			if entryIn(after, e) == entryIn(before, old) {
				left = e.Claims
			}
		}
		t.hold(Claims, c.subject(), old.Retention == v1.VolumeRetain || left >= old.Claims-old.Removing,
			"volume %s had %d claims, of which %d were being removed, and has %d", old.Name, old.Claims, old.Removing, left)
	}
}

func (r *claims) created(t *replay, c change) {
	made := c.pod.after.made
	f := t.frameworkOf(c.name.Namespace, made.framework, made.frameworkUID)
	if f == nil {
		return
	}
	for _, mounted := range c.pod.after.Spec.Volumes {
		for i := range f.Spec.Volumes {
			v := &f.Spec.Volumes[i]
			if mounted.PersistentVolumeClaim == nil || mounted.Name != v.Name {
				continue
			}
			e, index := entryOf{f.UID, v.Name, v.SharedBy(), made.place.role}, int32(0)
			if e.per == v1.VolumePerFramework {
				e.role = ""
			}
			if e.per == v1.VolumePerTask {
				index = made.place.index
			}
			t.hold(Claims, c.subject(), r.most[e] > index, "created before claim %s was stored", mounted.PersistentVolumeClaim.ClaimName)
		}
	}
}
