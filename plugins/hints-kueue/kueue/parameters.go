package kueue

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// settings are the parameters of the configuration, overlaid by those of the Framework.
type settings struct {
	// Queue is the LocalQueue of Frameworks that name none. Empty means that those are not for Kueue.
	Queue string `json:"queue"`
	// Flavors are the ResourceFlavors of the cluster by name, as far as their nodes take anything. Nil means that nobody
	// has said.
	Flavors map[string]flavor `json:"flavors"`
	// Priorities are the numbers of PriorityClasses, WorkloadPriorities those of Kueue's WorkloadPriorityClasses: Kueue
	// does not look them up.
	Priorities         map[string]int32 `json:"priorities"`
	WorkloadPriorities map[string]int32 `json:"workloadPriorities"`
	// MaxPodSets is how many a Workload may have.
	MaxPodSets int `json:"maxPodSets"`
	// PartialAdmission lets Kueue admit as few Tasks as the gang needs. The others are held back for the attempt.
	PartialAdmission bool `json:"partialAdmission"`
}

// flavor is what Pods on the nodes of a ResourceFlavor need.
type flavor struct {
	NodeSelector map[string]string `json:"nodeSelector"`
	Tolerations  []toleration      `json:"tolerations"`
}

// toleration is that of Pods.
type toleration struct {
	Key               string `json:"key,omitempty"`
	Operator          string `json:"operator,omitempty"`
	Value             string `json:"value,omitempty"`
	Effect            string `json:"effect,omitempty"`
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// How many pod sets Kueue takes: 0.17.0 as many as the default, later ones more.
const (
	defaultPodSets = 8
	mostPodSets    = 18
)

// frameworkParameters are the parameters that Frameworks may set. The numbers of priorities, and the nodes of flavors, are the
// operator's: with them an author would preempt everybody, or use nodes that Kueue has given to others.
var frameworkParameters = []string{"maxPodSets", "partialAdmission", "queue"}

// read checks what can be checked without a Framework. An error names the parameter.
func read(s *structpb.Struct) (settings, error) {
	out := settings{MaxPodSets: defaultPodSets}
	if err := plugin.Decode(s, &out); err != nil {
		return settings{}, err
	}
	if out.MaxPodSets < 1 || out.MaxPodSets > mostPodSets {
		return settings{}, fmt.Errorf("maxPodSets: has to be from 1 to %d, but is %d; without the key it is %d", mostPodSets, out.MaxPodSets, defaultPodSets)
	}
	return out, nil
}
