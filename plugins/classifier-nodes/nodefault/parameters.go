package nodefault

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/parameters"
)

// spec is how the parameters look. A Framework may give those of ownSpec only.
type spec struct {
	ownSpec
	// Kubeconfig is a file that says where the API server is; empty for that of the cluster that the program runs in.
	Kubeconfig string `json:"kubeconfig"`
	// WithinSec is how long after the end of a Pod a fault may begin that explains it.
	WithinSec int `json:"withinSec"`
	// IgnoreConditions are types of conditions that say nothing about Pods.
	IgnoreConditions []string `json:"ignoreConditions"`
	// Taints are keys that mean a fault, beside those of Kubernetes.
	Taints []string `json:"taints"`
	// Devices says whose taints count; nil for those of all drivers.
	Devices *devices `json:"devices"`
	// Suspicion is nil if no node is suspected.
	Suspicion *suspicionSpec `json:"suspicion"`
}

type ownSpec struct {
	// Avoid is what becomes of the node.
	Avoid avoid `json:"avoid"`
	// TimesPerTask is how many attempts of a Task are excused by their nodes.
	TimesPerTask int `json:"timesPerTask"`
}

type avoid struct {
	// Mode is Prefer or Require.
	Mode string `json:"mode"`
	// Seconds is 0 if the node is not avoided.
	Seconds int `json:"seconds"`
}

type devices struct {
	// Drivers whose taints count, such as gpu.nvidia.com; none if it is empty.
	Drivers []string `json:"drivers"`
}

// suspicionSpec says what it takes to suspect a node.
type suspicionSpec struct {
	// So many Frameworks of so many namespaces have failed there with one symptom within so many seconds.
	Frameworks int `json:"frameworks"`
	Namespaces int `json:"namespaces"`
	WithinSec  int `json:"withinSec"`
	// MaxNodes is on how many nodes a symptom may be suspected to be theirs. If it is on more, something else is the matter.
	MaxNodes int `json:"maxNodes"`
}

func defaults() spec {
	return spec{ownSpec: ownSpec{Avoid: avoid{Mode: "Prefer", Seconds: 3600}, TimesPerTask: 3}, WithinSec: 120}
}

func defaultSuspicion() suspicionSpec {
	return suspicionSpec{Frameworks: 3, Namespaces: 2, WithinSec: 600, MaxNodes: 3}
}

// ownKeys are those that a Framework may give.
var ownKeys = []string{"avoid", "timesPerTask"}

// read checks parameters. An error names the parameter.
func read(s *structpb.Struct) (spec, error) {
	out := defaults()
	if v, ok := s.GetFields()["suspicion"]; ok && v.GetStructValue() != nil {
		suspicion := defaultSuspicion()
		out.Suspicion = &suspicion
	}
	if err := plugin.Decode(s, &out); err != nil {
		return spec{}, err
	}
	return out, out.check()
}

func (s spec) check() error {
	switch {
	case s.Avoid.Mode != "Prefer" && s.Avoid.Mode != "Require":
		return fmt.Errorf("avoid.mode: has to be Prefer or Require, but is %q", s.Avoid.Mode)
	case s.Avoid.Seconds < 0 || s.Avoid.Seconds > v1.MaxAdvisedSeconds:
		return fmt.Errorf("avoid.seconds: has to be 0 to %d, but is %d", v1.MaxAdvisedSeconds, s.Avoid.Seconds)
	case s.TimesPerTask < 1:
		return fmt.Errorf("timesPerTask: has to be at least 1, but is %d", s.TimesPerTask)
	case s.WithinSec < 0 || s.WithinSec > 3600:
		return fmt.Errorf("withinSec: has to be 0 to 3600, but is %d", s.WithinSec)
	case s.Suspicion == nil:
		return nil
	case s.Suspicion.Frameworks < 2:
		return fmt.Errorf("suspicion.frameworks: has to be at least 2, but is %d", s.Suspicion.Frameworks)
	case s.Suspicion.Namespaces < 1 || s.Suspicion.Namespaces > s.Suspicion.Frameworks:
		return fmt.Errorf("suspicion.namespaces: has to be 1 to %d, as many as suspicion.frameworks, but is %d", s.Suspicion.Frameworks, s.Suspicion.Namespaces)
	case s.Suspicion.WithinSec < 1 || s.Suspicion.WithinSec > 24*60*60:
		return fmt.Errorf("suspicion.withinSec: has to be 1 to 86400, but is %d", s.Suspicion.WithinSec)
	case s.Suspicion.MaxNodes < 1:
		return fmt.Errorf("suspicion.maxNodes: has to be at least 1, but is %d", s.Suspicion.MaxNodes)
	}
	return nil
}

// overlaid is what a Framework gives in place of the configuration's.
func (s spec) overlaid(configured, own *structpb.Struct) (spec, error) {
	if len(own.GetFields()) == 0 {
		return s, nil
	}
	for key := range own.GetFields() {
		if !slices.Contains(ownKeys, key) {
			return s, fmt.Errorf("%s: a Framework may give %v only", key, ownKeys)
		}
	}
	merged, err := read(parameters.Overlay(configured, own))
	if err != nil {
		return s, err
	}
	s.ownSpec = merged.ownSpec
	return s, nil
}

// avoidNode is what becomes of the node; nil if nothing does.
func (a avoid) avoidNode(reason string) *pluginpb.AvoidNode {
	if a.Seconds == 0 {
		return nil
	}
	mode := pluginpb.AvoidNode_PREFER
	if a.Mode == "Require" {
		mode = pluginpb.AvoidNode_REQUIRE
	}
	return &pluginpb.AvoidNode{Mode: mode, Seconds: int32(a.Seconds), Reason: reason}
}
