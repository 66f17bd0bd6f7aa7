// Package objects builds the objects that the controller creates: the ConfigMap and the Pods of an attempt, which it
// recognizes later, and the companions of a Framework, the Service for its names and the Secret with its keys.
//
// It promises that a Pod consists of its template, the additions of contract 1.4 to 1.8, and the names and keys that a
// spec asks for, nothing else: unknown fields, numbers and text reach the API server as the user wrote them. It is
// pure: it reads no clock and does no I/O. Sending, retrying and adopting are left to the caller, and validation to the
// API server, except for the parts of a template that must be understood here.
//
//	configMap := objects.ConfigMap(owner, attemptID)
//	builder := objects.NewPodBuilder(role.Name, role.Task.Pod) // once per role, for any number of Pods
//	builder := objects.NewPatchedPodBuilder(role.Name, role.Task.Pod, patches...) // with a scheduler plugin's hints
//	builder := objects.NewPodBuilderWith(role.Name, role.Task.Pod, additions, patches...) // and names, keys, other nodes
//	body, err := builder.Build(task)                           // JSON to POST
//	id, ok := objects.Identify(pod)                            // the way back
//
// A template is parsed once into a tree of maps and lists. The additions of the controller go into that
// tree, with variables in place of values that differ from Pod to Pod. The tree is then written out as a pattern,
// which is JSON text with gaps. A Pod is a filled-in pattern:
//
//	template -> tree -> Pod tree with variables -> pattern   (NewPodBuilder)
//	Task -> values -> pattern filled in                      (Build)
//
// A scheduler plugin's patch is laid over the template before all that, so tokens in it work too.
//
// A placeholder token is text in a template, such as {{FC_TASK_INDEX}}; it becomes a variable too. Only
// tokens in the keys of objects do not fit this scheme, because they change the tree; such a template goes
// through all the steps for each Pod.
package objects
