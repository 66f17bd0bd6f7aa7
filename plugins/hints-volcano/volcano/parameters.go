package volcano

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

const defaultScheduler = "volcano"

// settings are the parameters of the configuration, overlaid by the Framework's.
type settings struct {
	// Queue is used for Frameworks that name none. If empty, such Frameworks are not for Volcano.
	Queue string `json:"queue"`
	// SchedulerName is the name of Volcano's scheduler in this cluster.
	SchedulerName string `json:"schedulerName"`
	// TopologyTiers maps node labels, such as topology.kubernetes.io/rack, to the highest tier of HyperNodes within which all nodes have
	// the same value of the label.
	TopologyTiers map[string]int64 `json:"topologyTiers"`
}

// frameworkParameters are the parameters that Frameworks may set. They concern their own Pods alone.
var frameworkParameters = []string{"queue", "schedulerName", "topologyTiers"}

// read checks what can be checked without a Framework. An error names the parameter.
func read(s *structpb.Struct) (settings, error) {
	out := settings{SchedulerName: defaultScheduler}
	if err := plugin.Decode(s, &out); err != nil {
		return settings{}, err
	}
	if err := gang.CheckSchedulerName(out.SchedulerName, defaultScheduler); err != nil {
		return settings{}, err
	}
	for _, key := range slices.Sorted(maps.Keys(out.TopologyTiers)) {
		if tier := out.TopologyTiers[key]; tier < 1 || tier > maxTier {
			return settings{}, fmt.Errorf("topologyTiers.%s: has to be from 1 to %d, as the tiers of HyperNodes are, but is %d", key, maxTier, tier)
		}
	}
	return out, nil
}

// maxTier is far above any that there is.
const maxTier = 1000

// queueOf is the queue of a Framework; empty if it is not for Volcano.
func (s settings) queueOf(of *pluginpb.Scheduling) string { return cmp.Or(of.GetQueue(), s.Queue) }
