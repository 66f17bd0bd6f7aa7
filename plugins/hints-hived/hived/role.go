package hived

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// role is a role whose Pods want cells.
type role struct {
	name           string
	pods           int64
	leafCellNumber int64
	container      string
	comesLater     bool // its Pods are created after the success of others
	isLeft         bool // it has Tasks that may have Pods now
}

// rolesIn returns the roles that HiveD schedules. It includes a role without Pods only if the group exists already: the answer then still
// describes the group, for when the role gets Pods again. Errors are meant for the author of the Framework.
func (s settings) rolesIn(q *pluginpb.HintRequest) ([]role, error) {
	_, group := specIn(q.GetPrevious())
	var out []role
	for _, shape := range q.GetRoles() {
		if podsOf(shape) < 1 && !group {
			continue
		}
		r, wants, err := s.roleOf(shape)
		if err != nil {
			return nil, err
		}
		if wants {
			out = append(out, r)
		}
	}
	return out, nil
}

// podsOf returns how many Pods a role has, or will have. Pods that come later count from the beginning, as a group cannot be changed: HiveD
// keeps their cells as long as a Pod of the group is left.
func podsOf(shape *pluginpb.RoleShape) int64 {
	return max(int64(shape.GetTaskNumber())+int64(shape.GetLaterTaskNumber()), 0)
}

// roleOf reports whether the role's Pods want cells.
func (s settings) roleOf(shape *pluginpb.RoleShape) (role, bool, error) {
	own := s.TaskRoles[shape.GetName()]
	if own.LeaveOut || byHand(shape) {
		return role{}, false, nil
	}
	r := role{name: shape.GetName(), pods: podsOf(shape), container: own.Container,
		comesLater: shape.GetLaterTaskNumber() > 0, isLeft: shape.GetTaskNumber() > shape.GetCompletedTaskCount()}
	var err error
	if r.leafCellNumber, err = s.cells(shape, own); err != nil || r.leafCellNumber == 0 {
		return role{}, false, err
	}
	if r.container != "" && !slices.Contains(shape.GetContainerNames(), r.container) {
		return role{}, false, fmt.Errorf("taskRoles.%s.container: there is no container %s", r.name, r.container)
	}
	return r, true, nil
}

// byHand reports whether the author has annotated the role's Pods for HiveD.
func byHand(shape *pluginpb.RoleShape) bool {
	_, found := shape.GetTemplateAnnotations()[annotationSpec]
	return found
}

// cells returns how many cells each Pod wants; 0 if neither the role nor its requests set it.
func (s settings) cells(shape *pluginpb.RoleShape, own roleSettings) (int64, error) {
	if own.LeafCellNumber != nil {
		return *own.LeafCellNumber, nil
	}
	text := shape.GetRequests()[s.LeafCellResource]
	if text == "" {
		return 0, nil
	}
	quantity, err := resource.ParseQuantity(text)
	cells, whole := quantity.AsInt64()
	if err != nil || !whole || cells < 0 || cells > maxCells {
		return 0, fmt.Errorf("role %s requests %s of %s, and HiveD needs a whole number from 1 to %d",
			shape.GetName(), text, s.LeafCellResource, maxCells)
	}
	return cells, nil
}

// membersOf merges roles whose Pods want equally many cells, because HiveD distinguishes the Pods of a group by nothing else. Members with
// the most cells come first, so that the same Framework always gets the same text.
func membersOf(roles []role) []member {
	pods := map[int64]int64{}
	for _, r := range roles {
		pods[r.leafCellNumber] += r.pods
	}
	var out []member
	for cells, number := range pods {
		out = append(out, member{PodNumber: number, LeafCellNumber: cells})
	}
	slices.SortFunc(out, func(a, b member) int { return cmp.Compare(b.LeafCellNumber, a.LeafCellNumber) })
	return out
}
