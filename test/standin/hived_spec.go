package main

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// Annotations of HiveD.
const (
	annotationSpec      = "hivedscheduler.microsoft.com/pod-scheduling-spec"
	annotationIsolation = "hivedscheduler.microsoft.com/pod-leaf-cell-isolation"
)

// schedulingSpec is a Pod's description of its group. It is the same in all Pods of the group, but for their own number of cells.
type schedulingSpec struct {
	VirtualCluster string `json:"virtualCluster"`
	Priority       int    `json:"priority"`
	PinnedCellID   string `json:"pinnedCellId"`
	LeafCellType   string `json:"leafCellType"`
	LeafCellNumber int    `json:"leafCellNumber"`
	AffinityGroup  struct {
		Name    string   `json:"name"`
		Members []member `json:"members"`
	} `json:"affinityGroup"`
}

// member is the number of Pods of the group with LeafCellNumber cells each.
type member struct {
	PodNumber      int `json:"podNumber"`
	LeafCellNumber int `json:"leafCellNumber"`
}

// specOf returns a Pod's description of its group, and its own number of cells.
func specOf(p pod) (spec schedulingSpec, cells int, err error) {
	if err := yaml.Unmarshal([]byte(p.Annotations[annotationSpec]), &spec); err != nil {
		return spec, 0, fmt.Errorf("pod annotation %s: %w", annotationSpec, err)
	}
	cells, spec.LeafCellNumber = spec.LeafCellNumber, 0
	own := false
	for _, m := range spec.AffinityGroup.Members {
		if m.PodNumber <= 0 || m.LeafCellNumber <= 0 {
			return spec, 0, errors.New("affinityGroup.members: has non-positive numbers")
		}
		own = own || m.LeafCellNumber == cells
	}
	switch {
	case spec.VirtualCluster == "":
		return spec, 0, errors.New("virtualCluster: is empty")
	case spec.AffinityGroup.Name == "":
		return spec, 0, errors.New("affinityGroup.name: is empty")
	case !own:
		return spec, 0, errors.New("affinityGroup.members: does not contain the pod itself")
	}
	return spec, cells, nil
}

func (s schedulingSpec) equals(other schedulingSpec) bool { return reflect.DeepEqual(s, other) }

// cells is how many the whole group has.
func (s schedulingSpec) cells() int {
	sum := 0
	for _, m := range s.AffinityGroup.Members {
		sum += m.PodNumber * m.LeafCellNumber
	}
	return sum
}
