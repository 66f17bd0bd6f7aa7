package yunikorn

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Keys of YuniKorn. The first two are used both as labels and as annotations: which of them YuniKorn reads depends on its version.
const (
	keyApplication       = "yunikorn.apache.org/app-id"
	keyQueue             = "yunikorn.apache.org/queue"
	annotationGroup      = "yunikorn.apache.org/task-group-name"
	annotationTaskGroups = "yunikorn.apache.org/task-groups"
	annotationPolicy     = "yunikorn.apache.org/schedulingPolicyParameters"
)

// application has the values that all Pods of an attempt share.
type application struct {
	id, queue, policy string
	taskGroups        string   // as in the annotation; empty without groups
	names             []string // names of the task groups
	raised            []raised
}

// raised are Tasks whose memory was raised, with the task group of their own; without a group, they are placed one by one.
type raised struct {
	role, group string
	indices     []*pluginpb.IndexRange
}

func (a *application) setGroups(groups []taskGroup) error {
	if len(groups) == 0 {
		return nil
	}
	text, err := json.Marshal(groups)
	if err != nil {
		return fmt.Errorf("a Pod template: %w", err) // tolerations and the like are passed on unchanged
	}
	a.taskGroups = string(text)
	for _, g := range groups {
		a.names = append(a.names, g.Name)
	}
	return nil
}

// applicationIn returns the one in an earlier answer for the same attempt.
func applicationIn(previous *pluginpb.HintResponse) (application, bool) {
	if len(previous.GetPatches()) == 0 {
		return application{}, false
	}
	of := previous.GetPatches()[0].GetAnnotations()
	a := application{id: of[keyApplication], queue: of[keyQueue], policy: of[annotationPolicy], taskGroups: of[annotationTaskGroups]}
	var groups []taskGroup
	if json.Unmarshal([]byte(a.taskGroups), &groups) == nil {
		for _, g := range groups {
			a.names = append(a.names, g.Name)
		}
	}
	for _, p := range previous.GetPatches() {
		if len(p.GetIndices()) > 0 {
			a.raised = append(a.raised, raised{p.GetTaskRole(), p.GetAnnotations()[annotationGroup], p.GetIndices()})
		}
	}
	return a, a.id != ""
}

// patches are for the Pods of a role. The patch for all of them is the last.
func (a application) patches(role string) []*pluginpb.PodPatch {
	var out []*pluginpb.PodPatch
	for _, r := range a.raised {
		if r.role == role {
			p := a.patch(role, r.group)
			p.Indices = r.indices
			out = append(out, p)
		}
	}
	return append(out, a.patch(role, role))
}

// patch gives every Pod the task groups, because YuniKorn may see any of the Pods first.
func (a application) patch(role, group string) *pluginpb.PodPatch {
	labels, annotations := map[string]string{keyApplication: a.id}, map[string]string{keyApplication: a.id}
	if a.queue != "" {
		annotations[keyQueue] = a.queue
		if len(validation.IsValidLabelValue(a.queue)) == 0 {
			labels[keyQueue] = a.queue
		}
	}
	if a.taskGroups != "" {
		annotations[annotationTaskGroups], annotations[annotationPolicy] = a.taskGroups, a.policy
	}
	if slices.Contains(a.names, group) {
		annotations[annotationGroup] = group
	}
	return &pluginpb.PodPatch{TaskRole: role, Labels: labels, Annotations: annotations}
}
