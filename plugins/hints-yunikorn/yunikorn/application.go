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
	return a, a.id != ""
}

// patch gives every Pod the task groups, because YuniKorn may see any of the Pods first.
func (a application) patch(role string) *pluginpb.PodPatch {
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
	if slices.Contains(a.names, role) {
		annotations[annotationGroup] = role
	}
	return &pluginpb.PodPatch{TaskRole: role, Labels: labels, Annotations: annotations}
}
