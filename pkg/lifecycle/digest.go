package lifecycle

import (
	"fmt"
	"strings"
)

// The digest of a question stands for everything on which a completion policy may depend. Completed Tasks of an attempt never
// change unless the spec does, so their numbers suffice; and as these only grow, an earlier question has smaller ones.

// completedCount is how many Tasks of a role have completed.
type completedCount struct{ succeeded, failed int }

// completedCounts returns the counts for the roles in the spec, in its order.
func (r *round) completedCounts() []completedCount {
	var counts []completedCount
	for _, role := range r.specRoles() {
		counts = append(counts, completedCount{role.tally.succeeded, role.tally.failed})
	}
	return counts
}

func (r *round) digest(counts []completedCount) string {
	var out strings.Builder
	out.WriteString(r.subject())
	for i, role := range r.specRoles() {
		fmt.Fprintf(&out, " %s=%d+%d", role.name, counts[i].succeeded, counts[i].failed)
	}
	return out.String()
}

// subject is the common part of all digests of an attempt, as long as the spec is the same.
func (r *round) subject() string {
	return fmt.Sprintf("%s generation=%d", r.instanceUID(), r.in.Framework.Generation)
}

// parseDigest returns the counts in a question's digest; ok is false if the question was not about this attempt and spec.
func (r *round) parseDigest(digest string) (counts []completedCount, ok bool) {
	text, ok := strings.CutPrefix(digest, r.subject()+" ")
	words, roles := strings.Fields(text), r.specRoles()
	if !ok || len(words) != len(roles) {
		return nil, false
	}
	for i, role := range roles {
		var then completedCount
		numbers, found := strings.CutPrefix(words[i], role.name+"=")
		read, _ := fmt.Sscanf(numbers, "%d+%d", &then.succeeded, &then.failed)
		if !found || read < 2 || then.succeeded > role.tally.succeeded || then.failed > role.tally.failed {
			return nil, false
		}
		counts = append(counts, then)
	}
	return counts, true
}
