package hived

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// settings are the parameters. The first ones go into the annotation as they are.
type settings struct {
	// Required, from the configuration or the Framework.
	VirtualCluster string `json:"virtualCluster"`
	// -1 for opportunistic Pods, otherwise 0 to 1000, guaranteed.
	Priority     int32  `json:"priority"`
	PinnedCellID string `json:"pinnedCellId"`
	// Empty for any.
	LeafCellType            string `json:"leafCellType"`
	GangReleaseEnable       *bool  `json:"gangReleaseEnable"`
	LazyPreemptionEnable    *bool  `json:"lazyPreemptionEnable"`
	IgnoreK8sSuggestedNodes *bool  `json:"ignoreK8sSuggestedNodes"`

	SchedulerName string `json:"schedulerName"`
	// PriorityClasses are HiveD's priorities of Frameworks by their spec.scheduling.priorityClassName. Their Pods get that
	// class, which goes before Priority.
	PriorityClasses map[string]int32 `json:"priorityClasses"`
	// LeafCellResource is the resource whose request is the number of cells of a Pod, if the role does not set one.
	LeafCellResource string                  `json:"leafCellResource"`
	TaskRoles        map[string]roleSettings `json:"taskRoles"`
}

// roleSettings concern one role.
type roleSettings struct {
	LeafCellNumber *int64 `json:"leafCellNumber"`
	// Which container gets the cells; empty for the first one.
	Container string `json:"container"`
	// The Pods of the role have nothing to do with HiveD, whatever they request.
	LeaveOut bool `json:"leaveOut"`
}

// frameworkParameters are the parameters that Frameworks may set: those that an author could also write into the annotation of a Pod. The
// operator decides the priority for a PriorityClass.
var frameworkParameters = []string{"gangReleaseEnable", "ignoreK8sSuggestedNodes", "lazyPreemptionEnable", "leafCellResource", "leafCellType",
	"pinnedCellId", "priority", "schedulerName", "taskRoles", "virtualCluster"}

// read checks what can be checked without a Framework. An error names the parameter.
func read(s *structpb.Struct) (settings, error) {
	out := settings{SchedulerName: defaultScheduler, LeafCellResource: "nvidia.com/gpu"}
	if err := plugin.Decode(s, &out); err != nil {
		return settings{}, err
	}
	if err := out.checkPriority("priority", out.Priority); err != nil {
		return settings{}, err
	}
	for _, class := range slices.Sorted(maps.Keys(out.PriorityClasses)) {
		if err := checkPriorityRange("priorityClasses."+class, out.PriorityClasses[class]); err != nil {
			return settings{}, err
		}
	}
	if err := gang.CheckSchedulerName(out.SchedulerName, defaultScheduler); err != nil {
		return settings{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(out.TaskRoles)) {
		if n := out.TaskRoles[name].LeafCellNumber; n != nil && (*n < 1 || *n > maxCells) {
			return settings{}, fmt.Errorf("taskRoles.%s.leafCellNumber: has to be from 1 to %d, but is %d; "+
				"leaveOut: true keeps the role away from HiveD", name, maxCells, *n)
		}
	}
	return out, nil
}

// checkPriority reports an error with the name of the field that sets the priority.
func (s settings) checkPriority(field string, priority int32) error {
	if err := checkPriorityRange(field, priority); err != nil {
		return err
	}
	if priority == opportunistic && s.PinnedCellID != "" {
		return fmt.Errorf("%s: is %d, which HiveD does not allow together with pinnedCellId, which is %q: "+
			"give a priority from 0 to 1000, or pinnedCellId: ''", field, priority, s.PinnedCellID)
	}
	return nil
}

func checkPriorityRange(field string, priority int32) error {
	if priority < opportunistic || priority > 1000 {
		return fmt.Errorf("%s: has to be from -1 to 1000, but is %d", field, priority)
	}
	return nil
}

// opportunistic is HiveD's priority for Pods that use cells left over by others, and so no pinned cells.
const opportunistic = -1

// maxCells is the largest number that HiveD can read.
const maxCells = 1<<31 - 1
