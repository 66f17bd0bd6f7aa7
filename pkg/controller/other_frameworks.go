package controller

import (
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// others knows which Frameworks wait for which others of their namespace (startAfter), and how these have ended. It is asked and told in
// rounds, and wakes those that an end concerns: its cost depends on them, however many Frameworks there are.
//
// Invariant: there is an entry for a Framework only while it waits, or others wait for it.
type others struct {
	// known is the Framework as the watch shows it; nil if it shows none.
	known func(cache.ObjectName) metav1.Object
	wake  func(cache.ObjectName, event)

	mu    sync.Mutex
	byKey map[cache.ObjectName]*another
}

// another is a Framework that waits, or that others wait for.
type another struct {
	awaits    []cache.ObjectName // sorted
	awaitedBy map[cache.ObjectName]struct{}
	// told is what its own round has last told; the zero value if it has not.
	told gates.Other
	// circle are Frameworks that wait for each other, beginning with this one; nil if it is in no circle. unchecked: there may be
	// another one by now.
	circle    []cache.ObjectName
	unchecked bool
}

func newOthers(known func(cache.ObjectName) metav1.Object, wake func(cache.ObjectName, event)) *others {
	return &others{known: known, wake: wake, byKey: map[cache.ObjectName]*another{}}
}

// await records the names of all Frameworks that a Framework waits for, sorted, and returns what is known of those that exist, and the
// circle that it is in. When anything of it changes, the Framework is woken: it is recorded before anything is looked at.
func (o *others) await(key cache.ObjectName, names []string) (seen map[string]gates.Other, circle []string) {
	awaits := make([]cache.ObjectName, len(names))
	for i, name := range names {
		awaits[i] = cache.NewObjectName(key.Namespace, name)
	}
	circle, wake := o.record(key, awaits)
	for _, other := range awaits {
		view, asks := o.view(other)
		if view != (gates.Other{}) {
			if seen == nil {
				seen = map[string]gates.Other{}
			}
			seen[other.Name] = view
		}
		if asks {
			wake = append(wake, other)
		}
	}
	for _, each := range wake {
		o.wake(each, othersChanged{})
	}
	return seen, circle
}

// view returns what is known of a Framework that others wait for, and whether it is to be asked. If it is gone, its end still counts,
// unless another one has taken its place: it may have been deleted before those that wait have taken note.
func (o *others) view(key cache.ObjectName) (view gates.Other, asks bool) {
	known := o.known(key)
	o.mu.Lock()
	defer o.mu.Unlock()
	a := o.byKey[key]
	switch {
	case known == nil && a.told.Outcome != "":
		return a.told, false
	case known == nil:
		return gates.Other{}, false
	case known.GetUID() == a.told.UID:
		return a.told, false
	}
	return gates.Other{UID: known.GetUID()}, true
}

// tell records how a Framework has ended, or that it has not, and wakes those that wait for it.
func (o *others) tell(key cache.ObjectName, now gates.Other) {
	for _, each := range o.note(key, now) {
		o.wake(each, othersChanged{})
	}
}

func (o *others) note(key cache.ObjectName, now gates.Other) (wake []cache.ObjectName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	a := o.byKey[key]
	if a == nil || len(a.awaitedBy) == 0 || a.told == now {
		return nil
	}
	a.told = now
	if now.Outcome == "" && !now.Elsewhere {
		return nil // they know no better
	}
	return slices.Collect(maps.Keys(a.awaitedBy))
}

// changed wakes those that wait for a Framework which has been created or deleted.
func (o *others) changed(key cache.ObjectName) {
	o.mu.Lock()
	var wake []cache.ObjectName
	if a := o.byKey[key]; a != nil {
		wake = slices.Collect(maps.Keys(a.awaitedBy))
	}
	o.mu.Unlock()
	for _, each := range wake {
		o.wake(each, othersChanged{})
	}
}

// record replaces the list of Frameworks that one waits for. It returns the circle that this one is in, and the members of changed
// circles, which have to look again.
func (o *others) record(key cache.ObjectName, awaits []cache.ObjectName) (circle []string, wake []cache.ObjectName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	a := o.byKey[key]
	if a == nil && len(awaits) == 0 {
		return nil, nil
	}
	a = o.get(key)
	if !slices.Equal(a.awaits, awaits) {
		for _, each := range awaits {
			o.get(each).awaitedBy[key] = struct{}{}
		}
		before := a.awaits
		a.awaits, a.unchecked = awaits, true
		for _, each := range before {
			if !slices.Contains(awaits, each) {
				delete(o.byKey[each].awaitedBy, key)
				o.clean(each)
			}
		}
	}
	if a.unchecked {
		wake = o.check(key, a)
	}
	for _, each := range a.circle {
		circle = append(circle, each.Name)
	}
	o.clean(key)
	return circle, wake
}

func (o *others) get(key cache.ObjectName) *another {
	a := o.byKey[key]
	if a == nil {
		a = &another{awaitedBy: map[cache.ObjectName]struct{}{}}
		o.byKey[key] = a
	}
	return a
}

// clean drops an entry that is of no use.
func (o *others) clean(key cache.ObjectName) {
	if a := o.byKey[key]; len(a.awaits) == 0 && len(a.awaitedBy) == 0 {
		delete(o.byKey, key)
	}
}

// check looks for a circle, and returns the others in the new one and the one before if that has changed: they look again, too.
func (o *others) check(key cache.ObjectName, a *another) (wake []cache.ObjectName) {
	before := a.circle
	a.circle, a.unchecked = o.circleOf(key, a), false
	if slices.Equal(before, a.circle) {
		return nil
	}
	for _, each := range slices.Concat(before, a.circle) {
		if other := o.byKey[each]; each != key && other != nil && !other.unchecked {
			other.unchecked = true
			wake = append(wake, each)
		}
	}
	return wake
}

// longestCircle limits the search: in a circle of more Frameworks they wait likewise, and are not told why.
const longestCircle = 1000

// circleOf returns Frameworks that wait for each other, beginning with that one; nil if it is in no circle.
func (o *others) circleOf(key cache.ObjectName, a *another) []cache.ObjectName {
	if len(a.awaitedBy) == 0 {
		return nil
	}
	from := map[cache.ObjectName]cache.ObjectName{} // who waits for it, as far as looked at
	next := []cache.ObjectName{key}
	for len(next) > 0 && len(from) < longestCircle {
		at := next[0]
		next = next[1:]
		b := o.byKey[at]
		if b == nil {
			continue
		}
		for _, each := range b.awaits {
			if each == key {
				return path(from, key, at)
			}
			if _, seen := from[each]; !seen {
				from[each] = at
				next = append(next, each)
			}
		}
	}
	return nil
}

// path returns the way from the first to the last.
func path(from map[cache.ObjectName]cache.ObjectName, first, last cache.ObjectName) (way []cache.ObjectName) {
	for at := last; at != first; at = from[at] {
		way = append(way, at)
	}
	way = append(way, first)
	slices.Reverse(way)
	return way
}

// awaitsOthers are the Frameworks that a Framework waits for, sorted.
func (r *record) awaitsOthers() []string {
	if r.status.saved == nil || r.status.completed() {
		return nil
	}
	return gates.AwaitedFrameworks(r.framework.Spec, r.status.saved.Framework().StartedAfter)
}

// asOther is how others see a Framework whose status is stored.
func (r *record) asOther() gates.Other {
	out := gates.Other{UID: r.uid, Elsewhere: r.stored.elsewhere}
	if r.status.completed() {
		out.Outcome = v1.CompletionFailed
		if s := r.status.saved.Framework().AttemptStatus.CompletionStatus; s.Type.Name == v1.CompletionSucceeded {
			out.Outcome = v1.CompletionSucceeded
		}
	}
	return out
}
