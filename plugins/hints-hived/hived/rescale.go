package hived

import (
	"cmp"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// specIn returns the spec of the group in an earlier answer for the same attempt; its number of cells is an arbitrary role's. It returns
// false if that answer was a refusal, or if no role wanted cells then.
func specIn(previous *pluginpb.HintResponse) (schedulingSpec, bool) {
	for _, patch := range previous.GetPatches() {
		var s schedulingSpec
		text := patch.GetAnnotations()[annotationSpec]
		if text != "" && yaml.Unmarshal([]byte(text), &s) == nil && s.AffinityGroup.Name != "" {
			return s, true
		}
	}
	return schedulingSpec{}, false
}

// fits reports whether the group has room for the roles.
func (s schedulingSpec) fits(roles []role) error {
	for _, wanted := range membersOf(roles) {
		room := s.AffinityGroup.pods(wanted.LeafCellNumber)
		if room < wanted.PodNumber {
			return fmt.Errorf("affinity group %s was made for %d Pods with %d cells each, and cannot be changed while it lives: "+
				"it has no room for %d; scale back, or start another attempt",
				s.AffinityGroup.Name, room, wanted.LeafCellNumber, wanted.PodNumber)
		}
	}
	return nil
}

// warnings describe how HiveD treats the group in ways that its author may not expect.
func (s schedulingSpec) warnings(q *pluginpb.HintRequest, roles []role) (out []string) {
	group, wanted := s.AffinityGroup, map[int64]int64{}
	for _, m := range membersOf(roles) {
		wanted[m.LeafCellNumber] = m.PodNumber
	}
	for _, m := range group.Members {
		if n := wanted[m.LeafCellNumber]; n < m.PodNumber {
			out = append(out, fmt.Sprintf("affinity group %s keeps %d x %d cells until its last Pod has ended, though %s now: "+
				"suspend and resume the Framework to give them back before", group.Name, m.PodNumber, m.LeafCellNumber, wantedPods(n)))
		}
	}
	if retried := retriedAlone(q, roles); retried != "" && group.size() > 1 {
		out = append(out, fmt.Sprintf("a Task of role %s that is retried after all others have ended holds the cells of the whole group again, "+
			"for %d Pods: set task.retryPolicy.maxRetryCount to 0, and have the Framework retried as a whole", retried, group.size()))
	}
	if first, later := stages(roles); first != "" && later != "" {
		out = append(out, fmt.Sprintf("HiveD deletes affinity group %s with its last Pod. If all Pods with cells, such as the Pods of role %s, have ended "+
			"before the Pods of role %s are created, other groups may have taken their cells. Request cells only in the last stage, "+
			"keep a role with cells running through all stages, or create two Frameworks", group.Name, first, later))
	}
	return out
}

// stages returns the names of the first HiveD role that has Pods now, and of the first whose Pods come later; empty if there is no such
// role.
func stages(roles []role) (first, later string) {
	for _, r := range roles {
		switch {
		case r.comesLater:
			later = cmp.Or(later, r.name)
		case r.isLeft:
			first = cmp.Or(first, r.name)
		}
	}
	return first, later
}

func wantedPods(n int64) string {
	if n == 1 {
		return "1 Pod is wanted"
	}
	return fmt.Sprintf("%d Pods are wanted", n)
}

// retriedAlone returns the first HiveD role whose Tasks are retried by themselves; empty if there is none.
func retriedAlone(q *pluginpb.HintRequest, roles []role) string {
	for _, r := range roles {
		for _, shape := range q.GetRoles() {
			if shape.GetName() == r.name && shape.GetRetryPolicy().GetMaxRetryCount() != 0 {
				return r.name
			}
		}
	}
	return ""
}
