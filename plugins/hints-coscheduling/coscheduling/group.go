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

// groupSpec leaves out minResources. If a cluster has less, the scheduler turns the whole group away before it looks for nodes,
// and then it does not look again when Pods go or nodes come, for five minutes.
type groupSpec struct {
	MinMember              int32 `json:"minMember"`
	ScheduleTimeoutSeconds int32 `json:"scheduleTimeoutSeconds,omitempty"`
}

// groupName is a value of a label, too.
func groupName(f *pluginpb.Framework) string { return gang.LabelValue(f.GetName(), f.GetAttemptId()) }

// objects is the group. When all Tasks have completed, it stays as it was: a group of none is not allowed.
func (s settings) objects(q *pluginpb.HintRequest) []*pluginpb.Object {
	if gang.Total(q.GetRoles()) == 0 {
		return q.GetPrevious().GetObjects()
	}
	return []*pluginpb.Object{s.groupOf(q).object()}
}

func (s settings) groupOf(q *pluginpb.HintRequest) podGroup {
	return podGroup{
		APIVersion: "scheduling.x-k8s.io/v1alpha1",
		Kind:       "PodGroup",
		Metadata:   metadata{groupName(q.GetFramework())},
		Spec: groupSpec{
			MinMember:              gang.Min(q.GetScheduling(), q.GetRoles()),
			ScheduleTimeoutSeconds: cmp.Or(q.GetScheduling().GetTimeoutSeconds(), s.ScheduleTimeoutSeconds),
		},
	}
}

func (g podGroup) object() *pluginpb.Object {
	text, _ := json.Marshal(g) // of texts and numbers only, it cannot fail
	return &pluginpb.Object{Json: text}
}
