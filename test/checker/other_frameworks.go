package checker

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// otherFrameworks: a status records that another Framework has completed only after that one has, with that outcome; and the gate of a
// role that starts after another Framework opens only with such a record.
type otherFrameworks struct {
	ended map[types.UID]v1.CompletionTypeName
}

func newOtherFrameworks() *otherFrameworks {
	return &otherFrameworks{ended: map[types.UID]v1.CompletionTypeName{}}
}

func (o *otherFrameworks) see(t *replay, c change) {
	if c.framework == nil || c.framework.after == nil || c.framework.after.Status == nil {
		return
	}
	after := c.framework.after
	if s := after.attempt().CompletionStatus; after.Status.State == v1.Completed && s != nil {
		o.ended[after.UID] = s.Type.Name
	}
	before := &v1.FrameworkStatus{}
	if c.framework.before != nil && c.framework.before.Status != nil {
		before = c.framework.before.Status
	}
	for _, other := range after.Status.StartedAfter {
		if !slices.Contains(before.StartedAfter, other) {
			t.hold(StartedAfter, c.subject(), o.ended[other.UID] == other.Outcome, "it records that %s has %s, and its outcome was %q", other.Framework, other.Outcome, o.ended[other.UID])
		}
	}
	if after.Status.Gates == nil {
		return
	}
	for _, name := range after.Status.Gates.Created {
		role := after.role(name)
		if role == nil || before.Gates != nil && slices.Contains(before.Gates.Created, name) {
			continue
		}
		for _, s := range role.StartAfter {
			if s.Framework != "" {
				t.hold(StartedAfter, c.subject(), s.MetBy(after.Status.StartedAfter), "Pods of role %s may be created, and %+v is not met by %+v", name, s, after.Status.StartedAfter)
			}
		}
	}
}
