package specwarnings

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// completionFlaws finds completion containers that never complete a Pod. It skips a template that cannot be decoded.
func completionFlaws(role *v1.TaskRoleSpec) (flaws []string) {
	if len(role.Task.CompletionContainers) == 0 {
		return nil
	}
	type container struct {
		Name string `json:"name"`
	}
	var template struct {
		Spec struct {
			RestartPolicy corev1.RestartPolicy `json:"restartPolicy"`
			Containers    []container          `json:"containers"`
		} `json:"spec"`
	}
	if objects.ReadTemplate(role.Task.Pod, &template) != nil {
		return nil
	}
	if template.Spec.RestartPolicy != corev1.RestartPolicyNever {
		flaws = append(flaws, "task.completionContainers has no effect because the Pod template lets containers restart; set its restartPolicy to Never")
	}
	for _, name := range role.Task.CompletionContainers {
		if !slices.Contains(template.Spec.Containers, container{name}) {
			return append(flaws, fmt.Sprintf("task.completionContainers has no effect: the Pod template has no container %s; correct the name", name))
		}
	}
	return flaws
}
