package hived

import (
	"bytes"

	"gopkg.in/yaml.v3"
)

// Keys of HiveD.
const (
	annotationSpec      = "hivedscheduler.microsoft.com/pod-scheduling-spec"
	annotationIsolation = "hivedscheduler.microsoft.com/pod-leaf-cell-isolation"
	limitEnable         = "hivedscheduler.microsoft.com/pod-scheduling-enable"
	defaultScheduler    = "hivedscheduler"
)

// schedulingSpec is the content of the annotation, in the order in which HiveD documents it. Nil and empty fields are left to HiveD.
type schedulingSpec struct {
	VirtualCluster          string        `yaml:"virtualCluster"`
	Priority                int32         `yaml:"priority"`
	PinnedCellID            string        `yaml:"pinnedCellId,omitempty"`
	LeafCellType            string        `yaml:"leafCellType,omitempty"`
	LeafCellNumber          int64         `yaml:"leafCellNumber"`
	GangReleaseEnable       *bool         `yaml:"gangReleaseEnable,omitempty"`
	LazyPreemptionEnable    *bool         `yaml:"lazyPreemptionEnable,omitempty"`
	IgnoreK8sSuggestedNodes *bool         `yaml:"ignoreK8sSuggestedNodes,omitempty"`
	AffinityGroup           affinityGroup `yaml:"affinityGroup"`
}

type affinityGroup struct {
	Name string `yaml:"name"`
	// One for each number of cells.
	Members []member `yaml:"members"`
}

// member has the number of Pods of the group that have LeafCellNumber cells each.
type member struct {
	PodNumber      int64 `yaml:"podNumber"`
	LeafCellNumber int64 `yaml:"leafCellNumber"`
}

// of returns the spec for Pods with leafCellNumber cells.
func (s schedulingSpec) of(leafCellNumber int64) string {
	s.LeafCellNumber = leafCellNumber
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	// Texts and numbers into a buffer: neither can fail.
	_ = e.Encode(s)
	_ = e.Close()
	return out.String()
}

// pods returns the number of Pods with leafCellNumber cells for which the group was created.
func (g affinityGroup) pods(leafCellNumber int64) int64 {
	for _, m := range g.Members {
		if m.LeafCellNumber == leafCellNumber {
			return m.PodNumber
		}
	}
	return 0
}

// size is how many Pods the group has.
func (g affinityGroup) size() (pods int64) {
	for _, m := range g.Members {
		pods += m.PodNumber
	}
	return pods
}
