package avoid

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Unexpired returns the entries whose time is not over, in a list of its own. No entry lasts longer from now than its source
// currently allows, so none stays after a clock has jumped back, or when the policy has been shortened or removed.
func Unexpired(list []v1.AvoidedNode, p Policies, now time.Time) []v1.AvoidedNode {
	var kept []v1.AvoidedNode
	for _, n := range list {
		if latest := metav1.NewTime(now.Add(longest(n, p))); n.Until.After(latest.Time) {
			n.Until = latest
		}
		if n.Until.After(now) && len(kept) < v1.MaxAvoidedNodes {
			kept = append(kept, n)
		}
	}
	return kept
}

// longest is how long an entry may last; 0 if its source no longer wants the node to be avoided.
func longest(n v1.AvoidedNode, p Policies) time.Duration {
	if n.Source != nil {
		return seconds(v1.MaxAdvisedSeconds)
	}
	if policy := p.of(n); policy != nil {
		return duration(policy)
	}
	return 0
}

// Relax returns the list in which Pods of a role only prefer others to the nodes that they had to avoid, and these entries in
// their old form. If there are none, list itself is returned.
func Relax(list []v1.AvoidedNode, role string) (next, needed []v1.AvoidedNode) {
	next = slices.Clone(list)
	for i := range next {
		if n := &next[i]; n.Mode == v1.AvoidRequire && (n.Role == "" || n.Role == role) {
			needed = append(needed, *n)
			n.Mode, n.Relaxed = v1.AvoidPrefer, true
		}
	}
	if len(needed) == 0 {
		return list, nil
	}
	return next, needed
}

// Added returns the entries of a list whose node was not avoided before by the same source for the same Pods.
func Added(before, after []v1.AvoidedNode) (added []v1.AvoidedNode) {
	for _, n := range after {
		if !slices.ContainsFunc(before, func(o v1.AvoidedNode) bool { return o.Name == n.Name && sameSource(o, n) }) {
			added = append(added, n)
		}
	}
	return added
}

// Same reports whether two lists are identical. Successive states share the list until it changes.
func Same(a, b []v1.AvoidedNode) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Equal reports whether two lists have the same entries, given that entries with the same name and time are the same.
func Equal(a, b []v1.AvoidedNode) bool {
	return slices.EqualFunc(a, b, func(a, b v1.AvoidedNode) bool { return a.Name == b.Name && a.Until.Equal(&b.Until) })
}

// add adds an entry to a list that it may change. Each source may have at most `most` entries per role.
func add(list []v1.AvoidedNode, n v1.AvoidedNode, most int) []v1.AvoidedNode {
	ofSource := func(o v1.AvoidedNode) bool { return sameSource(o, n) }
	if i := slices.IndexFunc(list, func(o v1.AvoidedNode) bool { return o.Name == n.Name && ofSource(o) }); i >= 0 {
		n = renewed(list[i], n)
		list = slices.Delete(list, i, i+1)
	}
	list = makeRoom(list, most, ofSource)
	list = makeRoom(list, v1.MaxAvoidedNodes, func(v1.AvoidedNode) bool { return true })
	list = append(list, n)
	slices.SortFunc(list, func(a, b v1.AvoidedNode) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Role, b.Role), cmp.Compare(plugin(a), plugin(b)))
	})
	return list
}

// renewed is an entry after another failure on the node. A relaxed entry stays relaxed: it need not be found out again that no
// other node fits.
func renewed(old, n v1.AvoidedNode) v1.AvoidedNode {
	if old.Until.After(n.Until.Time) {
		n.Until = old.Until
	}
	if old.Relaxed {
		n.Mode, n.Relaxed = v1.AvoidPrefer, true
	}
	return n
}

// makeRoom removes the matching entries that expire first, until fewer than `most` match among.
func makeRoom(list []v1.AvoidedNode, most int, among func(v1.AvoidedNode) bool) []v1.AvoidedNode {
	for {
		first, found := -1, 0
		for i, n := range list {
			if !among(n) {
				continue
			}
			if found++; first < 0 || n.Until.Time.Before(list[first].Until.Time) {
				first = i
			}
		}
		if found < most {
			return list
		}
		list = slices.Delete(list, first, first+1)
	}
}

// sameSource reports whether two entries are for the same Pods, by the policy or by the same plugin.
func sameSource(a, b v1.AvoidedNode) bool { return a.Role == b.Role && plugin(a) == plugin(b) }

// plugin returns the plugin that wants the node to be avoided; empty if a policy does.
func plugin(n v1.AvoidedNode) string {
	if n.Source == nil {
		return ""
	}
	return n.Source.Plugin
}
