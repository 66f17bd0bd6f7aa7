package e2e

import (
	"encoding/json"
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// snapshotLine is what log collectors look for.
var snapshotLine = regexp.MustCompile(`(?m): (On\w+): ObjectSnapshot: (.+)$`)

// snapshots returns the names of the objects in the story's namespace that the controller's log has snapshots of, in
// order of the names. Lines may repeat; one object counts once.
func (s *story) snapshots(trigger string) []string {
	s.t.Helper()
	var names []string
	known := map[string]bool{}
	for _, match := range snapshotLine.FindAllStringSubmatch(logSince(s.t, 0), -1) {
		var o struct{ Metadata metav1.ObjectMeta }
		if err := json.Unmarshal([]byte(match[2]), &o); err != nil {
			s.t.Errorf("%s: %v", match[0], err)
		}
		if id := string(o.Metadata.UID); match[1] == trigger && o.Metadata.Namespace == s.namespace && !known[id] {
			known[id] = true
			names = append(names, o.Metadata.Name)
		}
	}
	slices.Sort(names)
	return names
}
