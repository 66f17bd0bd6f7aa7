package hived

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// specIn returns the spec of the group in an earlier answer for the same attempt; the number of cells in it is that of
// some role. There is none if it was a refusal, or if no role wanted cells then.
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
