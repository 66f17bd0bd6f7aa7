package coscheduling

import (
	"cmp"
	"encoding/json"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// podGroup is the object.
type podGroup struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Metadata   metadata  `json:"metadata"`
	Spec       groupSpec `json:"spec"`
}

type metadata struct {
	Name string `json:"name"`
}

type groupSpec struct {
	MinMember              int32             `json:"minMember"`
	MinResources           map[string]string `json:"minResources,omitempty"`
	ScheduleTimeoutSeconds int32             `json:"scheduleTimeoutSeconds,omitempty"`
}

// groupName is a value of a label, too.
func groupName(f *pluginpb.Framework) string { return gang.LabelValue(f.GetName(), f.GetAttemptId()) }

// objects is the group. When all Tasks have completed, it stays as it was: a group of none is not allowed.
func (s settings) objects(q *pluginpb.HintRequest) ([]*pluginpb.Object, error) {
	if gang.Total(q.GetRoles()) == 0 {
		return q.GetPrevious().GetObjects(), nil
	}
	group, err := s.groupOf(q)
	if err != nil {
		return nil, err
	}
	return []*pluginpb.Object{group.object()}, nil
}

func (s settings) groupOf(q *pluginpb.HintRequest) (podGroup, error) {
	resources, err := minResources(q)
	if err != nil {
		return podGroup{}, err
	}
	return podGroup{
		APIVersion: "scheduling.x-k8s.io/v1alpha1",
		Kind:       "PodGroup",
		Metadata:   metadata{groupName(q.GetFramework())},
		Spec: groupSpec{
			MinMember:              gang.Min(q.GetScheduling(), q.GetRoles()),
			MinResources:           resources,
			ScheduleTimeoutSeconds: cmp.Or(q.GetScheduling().GetTimeoutSeconds(), s.ScheduleTimeoutSeconds),
		},
	}, nil
}

// minResources is what the minimum of the gang requests. It is nil if that depends on which Pods they are: too much of it
// would keep the gang waiting, and without any the scheduler finds out itself.
func minResources(q *pluginpb.HintRequest) (map[string]string, error) {
	var left []*pluginpb.RoleShape
	for _, role := range q.GetRoles() {
		if gang.Left(role) > 0 {
			left = append(left, role)
		}
	}
	least := gang.Min(q.GetScheduling(), left)
	switch {
	case least == gang.Total(left):
		return gang.Requests(left, gang.Left)
	case len(left) == 1:
		return gang.Requests(left, func(*pluginpb.RoleShape) int32 { return least })
	}
	return nil, nil
}

func (g podGroup) object() *pluginpb.Object {
	text, _ := json.Marshal(g) // of texts and numbers only, it cannot fail
	return &pluginpb.Object{Json: text}
}
