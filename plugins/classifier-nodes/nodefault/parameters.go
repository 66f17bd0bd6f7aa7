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

// spec is the form of the parameters. A Framework may set only the fields of ownSpec.
type spec struct {
	ownSpec
	// Kubeconfig is a file that names the API server; empty for the cluster in which the program runs.
	Kubeconfig string `json:"kubeconfig"`
	// WithinSec is the maximum time after the end of a Pod at which a fault that explains it may begin.
	WithinSec int `json:"withinSec"`
	// IgnoreConditions are types of conditions that are not faults.
	IgnoreConditions []string `json:"ignoreConditions"`
	// Taints are keys of taints that are faults, in addition to those of Kubernetes.
	Taints []string `json:"taints"`
	// Devices selects the drivers whose taints count; nil for all drivers.
	Devices *devices `json:"devices"`
	// Suspicion is nil if no node is suspected.
	Suspicion *suspicionSpec `json:"suspicion"`
}

type ownSpec struct {
	// Avoid determines how the node is avoided.
	Avoid avoid `json:"avoid"`
	// TimesPerTask is the maximum number of attempts of a Task that are excused by their nodes.
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

// suspicionSpec is the condition for suspecting a node.
type suspicionSpec struct {
	// Numbers of Frameworks and of namespaces that must have failed there with one symptom within that many seconds.
	Frameworks int `json:"frameworks"`
	Namespaces int `json:"namespaces"`
	WithinSec  int `json:"withinSec"`
	// MaxNodes is the maximum number of nodes suspected for one symptom. If there are more, the cause lies elsewhere.
	MaxNodes int `json:"maxNodes"`
}

func defaults() spec {
	return spec{ownSpec: ownSpec{Avoid: avoid{Mode: "Prefer", Seconds: 3600}, TimesPerTask: 3}, WithinSec: 120}
}

func defaultSuspicion() suspicionSpec {
	return suspicionSpec{Frameworks: 3, Namespaces: 2, WithinSec: 600, MaxNodes: 3}
}

// ownKeys are the parameters that a Framework may set.
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
		return fmt.Errorf("avoid.mode: must be Prefer or Require, but is %q", s.Avoid.Mode)
	case s.Avoid.Seconds < 0 || s.Avoid.Seconds > v1.MaxAdvisedSeconds:
		return fmt.Errorf("avoid.seconds: must be 0 to %d, but is %d", v1.MaxAdvisedSeconds, s.Avoid.Seconds)
	case s.TimesPerTask < 1:
		return fmt.Errorf("timesPerTask: must be at least 1, but is %d", s.TimesPerTask)
	case s.WithinSec < 0 || s.WithinSec > 3600:
		return fmt.Errorf("withinSec: must be 0 to 3600, but is %d", s.WithinSec)
	case s.Suspicion == nil:
		return nil
	case s.Suspicion.Frameworks < 2:
		return fmt.Errorf("suspicion.frameworks: must be at least 2, but is %d", s.Suspicion.Frameworks)
	case s.Suspicion.Namespaces < 1 || s.Suspicion.Namespaces > s.Suspicion.Frameworks:
		return fmt.Errorf("suspicion.namespaces: must be 1 to %d, at most suspicion.frameworks, but is %d", s.Suspicion.Frameworks, s.Suspicion.Namespaces)
	case s.Suspicion.WithinSec < 1 || s.Suspicion.WithinSec > 24*60*60:
		return fmt.Errorf("suspicion.withinSec: must be 1 to 86400, but is %d", s.Suspicion.WithinSec)
	case s.Suspicion.MaxNodes < 1:
		return fmt.Errorf("suspicion.maxNodes: must be at least 1, but is %d", s.Suspicion.MaxNodes)
	}
	return nil
}

// overlaid returns the configuration's parameters, overlaid by the Framework's.
func (s spec) overlaid(configured, own *structpb.Struct) (spec, error) {
	if len(own.GetFields()) == 0 {
		return s, nil
	}
	for key := range own.GetFields() {
		if !slices.Contains(ownKeys, key) {
			return s, fmt.Errorf("%s: a Framework may set only %v", key, ownKeys)
		}
	}
	merged, err := read(parameters.Overlay(configured, own))
	if err != nil {
		return s, err
	}
	s.ownSpec = merged.ownSpec
	return s, nil
}

// avoidNode returns the advice to avoid the node; nil for none.
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
