package gang

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// NoQueue is for schedulers without queues: it returns an error if the Framework names a queue, unless the operator has it ignored.
func NoQueue(s *pluginpb.Scheduling, ignored bool) error {
	if s.GetQueue() == "" || ignored {
		return nil
	}
	return fmt.Errorf("scheduling.queue: is %s, and this scheduler has no queues; take it out, or have the plugin's parameter ignoreQueue be true",
		s.GetQueue())
}

// NoTopology is for schedulers that cannot keep Pods together. It returns an error if the Framework requires a topology, and
// ignores a topology that it only prefers.
func NoTopology(s *pluginpb.Scheduling) error {
	for _, t := range s.GetTopology() {
		if t.GetRequired() {
			return fmt.Errorf("scheduling.topology: %s is Required, and this scheduler does not support topologies; make it Preferred, or use affinity in the Pod template",
				t.GetKey())
		}
	}
	return nil
}
