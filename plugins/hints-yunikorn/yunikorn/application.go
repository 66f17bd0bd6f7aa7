package yunikorn

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Keys of YuniKorn. The first two are those of a label and of an annotation: which of them is read depends on its version.
const (
	keyApplication       = "yunikorn.apache.org/app-id"
	keyQueue             = "yunikorn.apache.org/queue"
	annotationGroup      = "yunikorn.apache.org/task-group-name"
	annotationTaskGroups = "yunikorn.apache.org/task-groups"
	annotationPolicy     = "yunikorn.apache.org/schedulingPolicyParameters"
)

// application is what all Pods of an attempt have in common.
type application struct {
	id, queue, policy string
	taskGroups        string   // as in the annotation; empty if there are none
	names             []string // of the task groups
}

func (a *application) setGroups(groups []taskGroup) error {
	if len(groups) == 0 {
		return nil
	}
	text, err := json.Marshal(groups)
	if err != nil {
		return fmt.Errorf("a Pod template: %w", err) // tolerations and the like are taken over as they are
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

// patch has the task groups in every Pod: any of them may be the first that YuniKorn sees.
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
