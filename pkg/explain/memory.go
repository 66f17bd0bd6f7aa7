package explain

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// taskMemory states the memory that a Task's containers get since they ran out of it.
func taskMemory(role string, task *v1.TaskStatus) (all []Statement) {
	for _, m := range task.Memory {
		all = append(all, Statement{Topic: TaskMemory, Subject: containerSubject(role, task.Index, m.Container), Args: Args{Memory: m.Limit, From: m.FirstLimit}})
	}
	return all
}

// memoryChanges states the consequences of the memory that containers lacked when the attempt of a Task ended.
func memoryChanges(role string, task *v1.TaskStatus) (all []Statement) {
	for _, c := range task.AttemptStatus.CompletionStatus.Memory {
		about := containerSubject(role, task.Index, c.Container)
		switch c.Kept {
		case v1.MemoryNoLimit:
			all = append(all, Statement{Topic: MemoryNoLimit, Subject: about})
		case v1.MemoryAtMaximum:
			all = append(all, Statement{Topic: MemoryAtMaximum, Subject: about, Args: Args{Memory: c.From}})
		default:
			all = append(all, Statement{Topic: MemoryRaised, Subject: about, Args: Args{Memory: c.To, From: c.From}})
		}
	}
	return all
}
