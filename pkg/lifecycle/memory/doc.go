// Package memory decides how much memory the containers of a Task get after some of them ran out of it.
//
// It promises that memory never exceeds the maximum of the policy and never shrinks from one attempt to the next, unless the
// policy does. It leaves it to package lifecycle when memory is raised, and to package objects to put the result into Pods. All
// functions are pure, and never change their arguments.
//
//	policy := memory.PolicyOf(spec.OnOOM, 0)
//	next, changes := memory.Raise(task.Memory, pod.OutOfMemory(), policy)
//	for _, m := range memory.Within(next, spec.OnOOM) { ... } // what the next Pod gets, unless its template gives more
//
// Vocabulary. A container lacks memory if the kubelet reports OOMKilled for it, or if a plugin asks for more after a failure.
// Memory is raised if its limit is: the request follows it, and never exceeds it.
package memory
