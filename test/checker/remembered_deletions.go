package checker

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// CheckDeletions compares the Frameworks that are deleted in the history with the ones that are gone. It ignores Frameworks that the
// history does not know.
func (m Remembered) CheckDeletions(h History) (wrong []string) {
	gone := map[types.UID]bool{}
	for _, s := range inOrder(h.Observations) {
		if s.Framework != nil {
			gone[s.Framework.UID] = s.Gone
		}
	}
	for i := range m.Frameworks {
		f := &m.Frameworks[i].Framework
		isGone, seen := gone[types.UID(f.UID)]
		switch {
		case seen && isGone && f.State != historyapi.StateDeleted:
			wrong = append(wrong, fmt.Sprintf("Framework %s is gone, and is %s in the history", f.UID, cmp.Or(f.State, "without a state")))
		case seen && !isGone && f.State == historyapi.StateDeleted:
			wrong = append(wrong, fmt.Sprintf("Framework %s exists, and is deleted in the history", f.UID))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// DeletedUnseen returns the number of Frameworks whose deletion no controller recorded.
func (m Remembered) DeletedUnseen() (n int) {
	for i := range m.Frameworks {
		if m.Frameworks[i].Framework.DeletedBefore != nil {
			n++
		}
	}
	return n
}
