package gang

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// NoQueue is for schedulers without queues: an error if the Framework names one, unless the operator has it ignored.
func NoQueue(s *pluginpb.Scheduling, ignored bool) error {
	if s.GetQueue() == "" || ignored {
		return nil
	}
	return fmt.Errorf("scheduling.queue: is %s, and this scheduler has no queues; take it out, or have the plugin's parameter ignoreQueue be true",
		s.GetQueue())
}

// NoTopology is for schedulers that cannot keep Pods together: an error if the Framework requires it. What it only prefers
// goes unsaid.
func NoTopology(s *pluginpb.Scheduling) error {
	for _, t := range s.GetTopology() {
		if t.GetRequired() {
			return fmt.Errorf("scheduling.topology: %s is Required, and this scheduler cannot be told so; make it Preferred, or say it as affinity in the Pod template",
				t.GetKey())
		}
	}
	return nil
}
