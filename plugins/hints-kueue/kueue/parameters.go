package kueue

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// settings are the parameters of the configuration, overlaid by the Framework's.
type settings struct {
	// Queue is the LocalQueue of Frameworks that name none. If empty, such Frameworks are not for Kueue.
	Queue string `json:"queue"`
	// Flavors are the ResourceFlavors of the cluster by name, with the labels and tolerations that their nodes require. Nil means unknown.
	Flavors map[string]flavor `json:"flavors"`
	// Priorities are the numbers of PriorityClasses, WorkloadPriorities the numbers of Kueue's WorkloadPriorityClasses: Kueue does not look
	// them up.
	Priorities         map[string]int32 `json:"priorities"`
	WorkloadPriorities map[string]int32 `json:"workloadPriorities"`
	// MaxPodSets is the maximum number of pod sets of a Workload.
	MaxPodSets int `json:"maxPodSets"`
	// PartialAdmission lets Kueue admit as few Tasks as the gang needs. The others are held back for the attempt.
	PartialAdmission bool `json:"partialAdmission"`
}

// flavor has the fields that Pods need to run on the nodes of a ResourceFlavor.
type flavor struct {
	NodeSelector map[string]string `json:"nodeSelector"`
	Tolerations  []toleration      `json:"tolerations"`
}

// toleration is a toleration of a Pod.
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
