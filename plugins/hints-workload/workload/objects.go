package workload

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// object is a Workload or a PodGroup, in any form. Empty fields are not sent.
type object struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       spec     `json:"spec"`
}

type metadata struct {
	Name string `json:"name"`
}

// spec has the fields of both kinds.
type spec struct {
	ControllerRef *controllerRef `json:"controllerRef,omitempty"` // Workload only
	PodGroups     []template     `json:"podGroups,omitempty"`     // Workload in v1alpha1
	Templates     []template     `json:"podGroupTemplates,omitempty"`
	TemplateRef   *templateRef   `json:"podGroupTemplateRef,omitempty"` // PodGroup in v1alpha2
	WorkloadRef   *workloadRef   `json:"workloadRef,omitempty"`         // PodGroup in v1beta1
	groupSpec
}

type controllerRef struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// template is a group within a Workload.
type template struct {
	Name   string  `json:"name"`
	Policy *policy `json:"policy,omitempty"` // v1alpha1
	groupSpec
}

// groupSpec has the fields that a template and its PodGroup share.
type groupSpec struct {
	SchedulingPolicy  *policy      `json:"schedulingPolicy,omitempty"`
	Constraints       *constraints `json:"schedulingConstraints,omitempty"`
	PriorityClassName string       `json:"priorityClassName,omitempty"`
}

type policy struct {
	Gang  *gangPolicy `json:"gang,omitempty"`
	Basic *struct{}   `json:"basic,omitempty"`
}

type gangPolicy struct {
	MinCount int32 `json:"minCount"`
}

type constraints struct {
	Topology []topologyKey `json:"topology"`
}

type topologyKey struct {
	Key string `json:"key"`
}

type templateRef struct {
	Workload struct {
		WorkloadName string `json:"workloadName"`
		Template     string `json:"podGroupTemplateName"`
	} `json:"workload"`
}

type workloadRef struct {
	WorkloadName string `json:"workloadName"`
	TemplateName string `json:"templateName"`
}

// objects are the Workloads, each with its PodGroups behind it: a PodGroup is refused without its Workload.
func (a *attempt) objects() []*pluginpb.Object {
	var out []*pluginpb.Object
	for _, w := range a.workloads {
		all := []object{a.workload(w)}
		if a.form.podGroups {
			for _, g := range w.groups {
				all = append(all, a.podGroup(w, g))
			}
		}
		for _, o := range all {
			out = append(out, &pluginpb.Object{Json: gang.JSON(o), OnUpdate: a.form.onUpdate})
		}
	}
	return out
}

func (a *attempt) object(kind, name string) object {
	return object{APIVersion: apiGroup + "/" + a.form.version, Kind: kind, Metadata: metadata{name}}
}

func (a *attempt) workload(w workload) object {
	out := a.object("Workload", w.name)
	out.Spec.ControllerRef = &controllerRef{"frameworkcontroller.microsoft.com", "Framework", a.question.GetFramework().GetName()}
	for _, g := range w.groups {
		if a.form.podGroups {
			out.Spec.Templates = append(out.Spec.Templates, template{Name: g.name, groupSpec: a.groupSpec(g)})
			continue
		}
		out.Spec.PodGroups = append(out.Spec.PodGroups, template{Name: g.name, Policy: g.policy()})
	}
	return out
}

// podGroupName returns the name of the PodGroup. Names of groups contain no "-", so it is unique.
func podGroupName(w workload, g group) string { return w.name + "-" + g.name }

func (a *attempt) podGroup(w workload, g group) object {
	out := a.object("PodGroup", podGroupName(w, g))
	out.Spec.groupSpec = a.groupSpec(g)
	if a.form.version == "v1alpha2" {
		out.Spec.TemplateRef = &templateRef{}
		out.Spec.TemplateRef.Workload.WorkloadName, out.Spec.TemplateRef.Workload.Template = w.name, g.name
		return out
	}
	out.Spec.WorkloadRef = &workloadRef{w.name, g.name}
	return out
}

func (a *attempt) groupSpec(g group) groupSpec {
	out := groupSpec{SchedulingPolicy: g.policy(), PriorityClassName: g.priority}
	if keys := a.topologyOf(g); len(keys) > 0 {
		out.Constraints = &constraints{[]topologyKey{{keys[0]}}}
	}
	return out
}

func (g group) policy() *policy {
	if g.least == 0 {
		return &policy{Basic: &struct{}{}}
	}
	return &policy{Gang: &gangPolicy{g.least}}
}
