package lifecycle_test

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// lawLogs: no Pod that has logs is deleted before they are collected, alone or with its ConfigMap, and nobody is asked again after
// an answer. A stop does not wait, and neither does the end of a Pod that others delete, or that is deleted by force.
func (c *checker) lawLogs(in lifecycle.Input, out lifecycle.Output) {
	for _, action := range out.Actions {
		if a, ok := action.(lifecycle.CollectLogs); ok {
			c.lawAsksForLogs(in, out, a)
		}
	}
	if !in.Asking.Logs || in.Framework.Spec.ExecutionType == v1.ExecutionStop {
		return
	}
	for _, action := range out.Actions {
		switch a := action.(type) {
		case lifecycle.DeletePod:
			pod, task := in.Observed.Pods[a.Task].Pod, out.State.Task(a.Task)
			recorded := task != nil && task.AttemptStatus.PodUID != nil && *task.AttemptStatus.PodUID == a.UID
			if recorded && !a.Force && pod != nil && pod.UID == a.UID && pod.HasLogs && !logsSettled(in, a.Task, task) {
				c.violationf("logs are collected before a Pod is deleted", "%s: %s", action, text(task))
			}
		case lifecycle.DeleteConfigMap:
			attempt := out.State.Framework().AttemptStatus
			if !a.Force && attempt.CompletionStatus != nil && attempt.ConfigMapUID != nil && *attempt.ConfigMapUID == a.UID {
				c.lawAllLogs(in, out, a)
			}
		}
	}
}

func (c *checker) lawAllLogs(in lifecycle.Input, out lifecycle.Output, a lifecycle.DeleteConfigMap) {
	eachTask(out.State, func(ref lifecycle.TaskRef, task *v1.TaskStatus) {
		if task.State == v1.AttemptRunning && !logsSettled(in, ref, task) {
			c.violationf("logs are collected before the Pods of an attempt are deleted", "%s: %s: %s", a, ref, text(task))
		}
	})
}

// logsSettled reports whether nobody needs to be asked for the logs of the Task's Pod.
func logsSettled(in lifecycle.Input, ref lifecycle.TaskRef, task *v1.TaskStatus) bool {
	return in.Observed.LogsCollected[ref] == *task.AttemptStatus.PodUID || !wantsLogs(in.Framework.Spec, ref.Role)
}

func wantsLogs(spec *v1.FrameworkSpec, role string) bool {
	for i := range spec.TaskRoles {
		if r := &spec.TaskRoles[i]; r.Name == role {
			return r.Task.Logs == nil || r.Task.Logs.Policy != v1.LogNone
		}
	}
	return true
}

// lawAsksForLogs: a Task counts as decided with its attempt of the Framework, whose end takes all Pods. A round that does not look at a Task
// decides it only later.
func (c *checker) lawAsksForLogs(in lifecycle.Input, out lifecycle.Output, a lifecycle.CollectLogs) {
	task := out.State.Task(a.Task)
	justified := in.Asking.Logs && wantsLogs(in.Framework.Spec, a.Task.Role) && task != nil && task.AttemptStatus.PodUID != nil && *task.AttemptStatus.PodUID == a.UID &&
		(task.AttemptStatus.CompletionStatus != nil || out.State.Framework().AttemptStatus.CompletionStatus != nil) && in.Observed.LogsCollected[a.Task] != a.UID
	if !justified {
		c.violationf("logs are asked for once an attempt is decided, and until there is an answer", "%s: %s", a, text(task))
	}
}
