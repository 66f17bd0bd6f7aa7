package lifecycletest

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// setNodes: "nodes n1 n2": the cluster has these nodes. Running Pods keep their nodes.
func (s *Story) setNodes(args []string, _ string) error {
	s.server.nodes = args
	return nil
}

// setRefusing: "refusing n1 n2": these nodes refuse every Pod placed on them that has not started. "refusing": none does.
func (s *Story) setRefusing(args []string, _ string) error {
	s.server.refusing = args
	return nil
}

// nodeFor returns the first node that fits a Pod, preferring nodes that it does not avoid; empty if none fits.
func (s *server) nodeFor(pod *object) string {
	fitting := slices.DeleteFunc(slices.Clone(s.nodes), func(n string) bool { return slices.Contains(pod.pod.avoided.Require, n) })
	if s.crowded || len(fitting) == 0 {
		return ""
	}
	for _, n := range fitting {
		if !slices.Contains(pod.pod.avoided.Prefer, n) {
			return n
		}
	}
	return fitting[0]
}

// avoided returns the nodes that a Task's Pod avoids according to the stored state.
func (c *controller) avoided(ref lifecycle.TaskRef) objects.AvoidedNodes {
	return objects.NodesAvoidedBy(ref.Role, c.saved.Framework().AvoidedNodes)
}

// parseAvoid: "Prefer/3600/10", or "no".
func parseAvoid(value string, policy *v1.RetryPolicySpec) error {
	if value == "no" {
		policy.AvoidNodes = nil
		return nil
	}
	mode, numbers, _ := strings.Cut(value, "/")
	policy.AvoidNodes = &v1.AvoidNodesSpec{Mode: v1.AvoidMode(mode)}
	_, err := fmt.Sscanf(numbers, "%d/%d", &policy.AvoidNodes.ForSec, &policy.AvoidNodes.MaxNodes)
	return err
}

// showAvoided: "avoided": the nodes that Pods avoid according to the stored state.
func (s *Story) showAvoided(_ []string, _ string) error {
	state := s.stored()
	if state == nil {
		return nil
	}
	for _, n := range state.Framework().AvoidedNodes {
		line := fmt.Sprintf("%s %s until=%s", n.Name, n.Mode, n.Until.UTC().Format("15:04:05"))
		if n.Relaxed {
			line += " relaxed"
		}
		if n.Role != "" {
			line += " role=" + n.Role
		}
		line += fmt.Sprintf(" by=%s-%d code=%d(%s)", n.TaskRoleName, n.TaskIndex, n.Code, n.Phrase)
		if n.Source != nil {
			line += fmt.Sprintf(" plugin=%s reason=%q", n.Source.Plugin, n.Reason)
		}
		s.print("%s", line)
	}
	return nil
}
