package lifecycletest

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/memory"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// podMemory is the memory of a Pod's container in bytes; 0 if the template sets none.
type podMemory struct{ limit, request int64 }

func (m podMemory) enter(c completion.Container) completion.Container {
	c.MemoryLimit, c.MemoryRequest = m.limit, m.request
	return c
}

// memoryOf builds the Pod of a Task as the controller does, from the stored state, and returns its memory.
func (c *controller) memoryOf(ref lifecycle.TaskRef) podMemory {
	for i := range c.latest.framework.spec.TaskRoles {
		role := &c.latest.framework.spec.TaskRoles[i]
		if role.Name != ref.Role || len(role.Task.Pod) == 0 {
			continue
		}
		with := objects.Additions{Memory: memory.Within(c.saved.Task(ref).Memory, role.Task.RetryPolicy.OnOOM)}
		var pod corev1.Pod
		body, err := objects.NewPodBuilderWith(role.Name, role.Task.Pod, with).Build(objects.Task{RoleName: role.Name, Index: ref.Index})
		if err == nil {
			err = json.Unmarshal(body, &pod)
		}
		if err != nil {
			panic(err) // templates of stories are right
		}
		r := pod.Spec.Containers[0].Resources
		return podMemory{r.Limits.Memory().Value(), r.Requests.Memory().Value()}
	}
	return podMemory{}
}

// parseOnOOM reads factor/maximum, such as 1.5/300Mi, or "no".
func parseOnOOM(value string, policy *v1.RetryPolicySpec) error {
	policy.OnOOM = nil
	if value == "no" {
		return nil
	}
	factor, most, found := strings.Cut(value, "/")
	if !found {
		return fmt.Errorf("oom wants a factor and a maximum")
	}
	policy.OnOOM = &v1.OnOOMSpec{MemoryFactor: factor, MaxMemory: most}
	return nil
}

// parseMemory reads limit/request or limit, such as 100Mi/50Mi, of the only container, or "no" for a container without.
func parseMemory(value string, role *v1.TaskRoleSpec) error {
	limit, request, _ := strings.Cut(value, "/")
	resources := map[string]any{}
	if limit != "no" {
		resources["limits"] = map[string]any{"memory": limit}
	}
	if request != "" {
		resources["requests"] = map[string]any{"memory": request}
	}
	template, err := json.Marshal(map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "resources": resources}}}})
	role.Task.Pod = template
	return err
}

// oom: "oom a-0 [code]": the container of a Pod that runs uses more memory than it may, and ends with 137 or that code.
func (s *Story) oom(args []string, _ string) error {
	if len(args) == 0 {
		return fmt.Errorf("oom wants a Pod")
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	code, err := parseInt32(append(args[1:], "137")[0])
	if err != nil {
		return err
	}
	if pod := s.server.objects[n]; pod != nil && pod.pod.executing {
		s.server.exitPod(pod, outcome{exit: code, oom: true})
	}
	return nil
}

// showMemory: "memory": the stored memory of Tasks, the changes by their last ends, and the memory of Pods.
func (s *Story) showMemory(_ []string, _ string) error {
	state := s.stored()
	if state == nil {
		return nil
	}
	for ref, task := range state.Tasks {
		for _, m := range task.Memory {
			s.print("%s %s limit=%s request=%s first=%s", ref, m.Container, m.Limit, m.Request, m.FirstLimit)
		}
		if end := task.AttemptStatus.CompletionStatus; end != nil {
			for _, c := range end.Memory {
				s.print("%s attempt=%d %s from=%s to=%s kept=%s", ref, task.AttemptStatus.ID, c.Container, c.From, c.To, c.Kept)
			}
		}
	}
	for _, o := range s.server.listed(pods, func(o *object) bool { return o.pod.memory != podMemory{} }) {
		s.print("pod %s limit=%dMi request=%dMi", o.name.ref, o.pod.memory.limit>>20, o.pod.memory.request>>20)
	}
	return nil
}
