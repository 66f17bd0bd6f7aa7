package explain

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// mostPods bounds how many Pods are looked at. A few are enough to tell what the matter is.
const mostPods = 5

// TaskName is a Task as users write and read it.
func TaskName(role string, index int32) string { return v1.TaskName(role, index) }

// Pods names the Pods that an answer about a Framework looks at: that of what is waited for, that of the Task which has
// decided, and those of the first Tasks in trouble.
func Pods(f *v1.Framework) []string {
	if f.Status == nil {
		return nil
	}
	var names []string
	if w := f.Status.Waiting; w != nil && w.Pod != "" {
		names = append(names, w.Pod)
	}
	if s := f.Status.AttemptStatus.CompletionStatus; s != nil && s.Trigger != nil {
		names = append(names, v1.PodName(f.Name, s.Trigger.TaskRoleName, s.Trigger.TaskIndex))
	}
	for _, role := range f.Status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			if len(names) < mostPods && inTrouble(&role.TaskStatuses[i]) {
				names = append(names, v1.PodName(f.Name, role.Name, role.TaskStatuses[i].Index))
			}
		}
	}
	return names
}
