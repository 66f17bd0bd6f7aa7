package specwarnings

import (
	"encoding/json"
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// limits are the memory limits of a template. Other mistakes in it are left to the API server.
type limits struct {
	Spec struct {
		Containers []struct {
			Name      string `json:"name"`
			Resources struct {
				Limits struct {
					Memory json.RawMessage `json:"memory"`
				} `json:"limits"`
			} `json:"resources"`
		} `json:"containers"`
	} `json:"spec"`
}

// memoryFlaws finds an onOOM by which no container ever gets more memory.
func memoryFlaws(spec *v1.FrameworkSpec, role *v1.TaskRoleSpec) (flaws []string) {
	onOOM := role.Task.RetryPolicy.OnOOM
	if onOOM == nil {
		return nil
	}
	if !retries(&role.Task.RetryPolicy) && !retries(&spec.RetryPolicy) && (role.RetryPolicy == nil || role.RetryPolicy.MaxRetryCount == 0) {
		flaws = append(flaws, "task.retryPolicy.onOOM is set, but nothing is retried, so no Pod gets more memory; raise task.retryPolicy.maxRetryCount")
	}
	var template limits
	if objects.ReadTemplate(role.Task.Pod, &template) != nil {
		return flaws
	}
	limited := false
	for _, c := range template.Spec.Containers {
		var text string
		if json.Unmarshal(c.Resources.Limits.Memory, &text) != nil {
			text = string(c.Resources.Limits.Memory)
		}
		limit := quantity.Bytes(text)
		limited = limited || limit > 0
		if limit > 0 && limit >= quantity.Bytes(onOOM.MaxMemory) {
			flaws = append(flaws, fmt.Sprintf("task.retryPolicy.onOOM.maxMemory %s is not above the memory limit %s of container %s, so its memory is never raised; raise maxMemory",
				onOOM.MaxMemory, text, c.Name))
		}
	}
	if !limited {
		flaws = append(flaws, "task.retryPolicy.onOOM is set, but no container of the template has a memory limit that could be raised; set resources.limits.memory")
	}
	return flaws
}

// retries reports whether a policy can lead to another attempt.
func retries(p *v1.RetryPolicySpec) bool {
	if p.MaxRetryCount != 0 || p.FancyRetryPolicy {
		return true
	}
	for i := range p.Budgets {
		if p.Budgets[i].MaxRetryCount != 0 {
			return true
		}
	}
	return false
}
