package consult

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/json"
	resourcehelper "k8s.io/component-helpers/resource"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// ErrBadTemplate: a template is too large, or is no template of a Pod as far as consult can check. The API server rejects its
// Pods, so waiting does not help.
var ErrBadTemplate = errors.New("reading a Pod template")

// RoleShape returns the facts about a role that a scheduler needs. An error is an ErrBadTemplate.
func RoleShape(role *v1.TaskRoleSpec) (*pluginpb.RoleShape, error) {
	out, err := readShape(role)
	if err != nil {
		return nil, fmt.Errorf("%w: role %s: %w", ErrBadTemplate, role.Name, err)
	}
	return out, nil
}

func readShape(role *v1.TaskRoleSpec) (*pluginpb.RoleShape, error) {
	var template shapeTemplate
	if err := objects.ReadTemplate(role.Task.Pod, &template); err != nil {
		return nil, err
	}
	pod, err := template.Spec.pod()
	if err != nil {
		return nil, err
	}
	spec := &template.Spec
	tolerations, err := spec.Tolerations.as("spec.tolerations", &[]corev1.Toleration{})
	if err != nil {
		return nil, err
	}
	affinity, err := spec.Affinity.as("spec.affinity", &corev1.Affinity{})
	if err != nil {
		return nil, err
	}
	spread, err := spec.TopologySpreadConstraints.as("spec.topologySpreadConstraints", &[]corev1.TopologySpreadConstraint{})
	if err != nil {
		return nil, err
	}
	claims, err := spec.ResourceClaims.as("spec.resourceClaims", &[]corev1.PodResourceClaim{})
	if err != nil {
		return nil, err
	}
	return &pluginpb.RoleShape{
		Name:                  role.Name,
		TaskNumber:            role.TaskNumber,
		MinFailedTaskCount:    role.FrameworkAttemptCompletionPolicy.MinFailedTaskCount,
		MinSucceededTaskCount: role.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount,
		TemplateLabels:        template.Metadata.Labels,
		TemplateAnnotations:   template.Metadata.Annotations,
		ContainerNames:        names(spec.Containers),
		Requests:              quantities(resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})),
		Limits:                quantities(resourcehelper.PodLimits(pod, resourcehelper.PodResourcesOptions{})),
		NodeSelector:          spec.NodeSelector,
		PriorityClassName:     spec.PriorityClassName,
		SchedulerName:         spec.SchedulerName,
		TolerationsJson:       tolerations,
		AffinityJson:          affinity,
		RuntimeClassName:      spec.RuntimeClassName,

		TopologySpreadConstraintsJson: spread,
		ResourceClaimsJson:            claims,
	}, nil
}

// shapeTemplate has the fields of a template that matter to a scheduler.
type shapeTemplate struct {
	Metadata struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec shapeSpec `json:"spec"`
}

type shapeSpec struct {
	Containers        []shapeContainer  `json:"containers"`
	InitContainers    []shapeContainer  `json:"initContainers"`
	Resources         *shapeResources   `json:"resources"`
	Overhead          shapeAmounts      `json:"overhead"`
	NodeSelector      map[string]string `json:"nodeSelector"`
	Tolerations       shapeText         `json:"tolerations"`
	Affinity          shapeText         `json:"affinity"`
	PriorityClassName string            `json:"priorityClassName"`
	SchedulerName     string            `json:"schedulerName"`
	RuntimeClassName  string            `json:"runtimeClassName"`

	TopologySpreadConstraints shapeText `json:"topologySpreadConstraints"`
	ResourceClaims            shapeText `json:"resourceClaims"`
}

type shapeContainer struct {
	Name          string                         `json:"name"`
	Resources     shapeResources                 `json:"resources"`
	RestartPolicy *corev1.ContainerRestartPolicy `json:"restartPolicy"`
}

type shapeResources struct {
	Requests shapeAmounts `json:"requests"`
	Limits   shapeAmounts `json:"limits"`
}

// shapeAmounts are quantities that are not parsed yet.
type shapeAmounts map[corev1.ResourceName]shapeText

// shapeText is JSON that is not decoded yet; empty for missing values and null.
type shapeText []byte

// UnmarshalJSON keeps a copy.
func (t *shapeText) UnmarshalJSON(text []byte) error {
	*t = nil
	if string(text) != "null" {
		*t = slices.Clone(text)
	}
	return nil
}

// longestShapeText limits the tolerations, and the affinity, of a template: to the size of a plugin's answer.
const longestShapeText = 64 << 10

// as decodes the text into value and re-encodes it as canonical JSON; nil if it is empty.
func (t shapeText) as(field string, value any) ([]byte, error) {
	if len(t) > longestShapeText {
		return nil, fmt.Errorf("%s: it has %d bytes; it has to be at most %d", field, len(t), longestShapeText)
	}
	if len(t) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(t, value); err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	text, err := json.Marshal(value)
	if err != nil || string(text) == "[]" {
		return nil, err
	}
	return text, nil
}

// pod returns a Pod with the same resources as one from the template, as the API server stores it.
func (s *shapeSpec) pod() (*corev1.Pod, error) {
	if n := len(s.Containers) + len(s.InitContainers); n > objects.MaxContainers {
		return nil, fmt.Errorf("spec.containers: %d containers; there have to be at most %d", n, objects.MaxContainers)
	}
	out := &corev1.Pod{}
	var err error
	if out.Spec.InitContainers, err = containersOf(s.InitContainers, "spec.initContainers"); err != nil {
		return nil, err
	}
	if out.Spec.Containers, err = containersOf(s.Containers, "spec.containers"); err != nil {
		return nil, err
	}
	if s.Resources != nil {
		resources, err := s.Resources.parse("spec.resources")
		if err != nil {
			return nil, err
		}
		out.Spec.Resources = &resources
	}
	out.Spec.Overhead, err = s.Overhead.parse("spec.overhead")
	return out, err
}

func containersOf(containers []shapeContainer, path string) ([]corev1.Container, error) {
	out := make([]corev1.Container, len(containers))
	for i, c := range containers {
		resources, err := c.Resources.parse(fmt.Sprintf("%s[%d].resources", path, i))
		if err != nil {
			return nil, err
		}
		out[i] = corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy, Resources: withImpliedRequests(resources)}
	}
	return out, nil
}

func names(containers []shapeContainer) (out []string) {
	for _, c := range containers {
		out = append(out, c.Name)
	}
	return out
}

// withImpliedRequests returns a container's resources as the API server stores them: without a request, a limit is also the
// request.
func withImpliedRequests(r corev1.ResourceRequirements) corev1.ResourceRequirements {
	requests := corev1.ResourceList{}
	maps.Copy(requests, r.Limits)
	maps.Copy(requests, r.Requests)
	r.Requests = requests
	return r
}

func (r shapeResources) parse(path string) (out corev1.ResourceRequirements, err error) {
	if out.Requests, err = r.Requests.parse(path + ".requests"); err == nil {
		out.Limits, err = r.Limits.parse(path + ".limits")
	}
	return out, err
}

// parse returns nil if there are no amounts.
func (a shapeAmounts) parse(path string) (corev1.ResourceList, error) {
	var out corev1.ResourceList
	for name, text := range a {
		amount, err := text.quantity()
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", path, name, err)
		}
		if out == nil {
			out = make(corev1.ResourceList, len(a))
		}
		out[name] = amount
	}
	return out, nil
}

func (t shapeText) quantity() (out resource.Quantity, err error) {
	if len(t) == 0 {
		return out, nil
	}
	text := string(t)
	if t[0] == '"' {
		if err := json.Unmarshal(t, &text); err != nil {
			return out, err
		}
	}
	if err := quantity.Check(text); err != nil {
		return out, err
	}
	return resource.ParseQuantity(text)
}

func quantities(list corev1.ResourceList) map[string]string {
	out := make(map[string]string, len(list))
	for name, quantity := range list {
		out[string(name)] = quantity.String()
	}
	return out
}
