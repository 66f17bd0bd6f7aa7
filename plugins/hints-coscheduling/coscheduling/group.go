package coscheduling

import (
	"cmp"
	"encoding/json"
	"fmt"

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

// groupSpec leaves out minResources. If a cluster has less, the scheduler turns the whole group away before it looks for nodes, and then it
// does not look again for five minutes, even if Pods end or nodes are added.
type groupSpec struct {
	// MinMember never goes up in an attempt. If a group has only some of its Pods, the scheduler may have tried those too early; it does
	// not bring them together: each would wait for the other, and both be put aside.
	MinMember              int32 `json:"minMember"`
	ScheduleTimeoutSeconds int32 `json:"scheduleTimeoutSeconds,omitempty"`
}

// groupName is a value of a label, too.
func groupName(f *pluginpb.Framework) string { return gang.LabelValue(f.GetName(), f.GetAttemptId()) }

// objects is the group. When all Tasks have completed, it stays as it was: a group of none is not allowed.
func (s settings) objects(q *pluginpb.HintRequest) ([]*pluginpb.Object, error) {
	previous := q.GetPrevious().GetObjects()
	if gang.Total(q.GetRoles()) == 0 {
		return previous, nil
	}
	group := podGroup{
		APIVersion: "scheduling.x-k8s.io/v1alpha1",
		Kind:       "PodGroup",
		Metadata:   metadata{groupName(q.GetFramework())},
		Spec: groupSpec{
			MinMember:              gang.Min(q.GetScheduling(), q.GetRoles()),
			ScheduleTimeoutSeconds: cmp.Or(q.GetScheduling().GetTimeoutSeconds(), s.ScheduleTimeoutSeconds),
		},
	}
	if len(previous) > 0 {
		before := podGroup{}
		if err := json.Unmarshal(previous[0].GetJson(), &before); err != nil {
			return nil, fmt.Errorf("reading the PodGroup that was wanted before: %w", err)
		}
		group.Spec.MinMember = min(group.Spec.MinMember, before.Spec.MinMember)
	}
	return []*pluginpb.Object{gang.Object(group)}, nil
}
