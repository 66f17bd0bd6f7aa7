// Package gates decides which roles' Pods may be created and which roles may start (TaskRoleSpec.StartAfter).
//
// It promises that a gate, once open, stays open for the attempt, and that equal gates stay the same pointer. It is pure: it
// takes the roles with the counts of their Tasks and returns the next gates. Storing them, creating Pods and looking at the
// Tasks again are left to the caller.
//
//	completed := gates.Completed(spec, stored, seen)                // other Frameworks, to be stored
//	next, created := gates.Open(roles, completed, old, instanceUID) // once in a round; next is to be stored
//	if next.HeldBack(role) { ... }                          // no Pods yet
//	if next.Closed(role) { ... }                            // no start yet; the barrier in the Pods waits for it
//	circle := gates.Circle(spec, role)                      // the roles that keep each other from starting
//
// # Words
//
// Pods of roles that wait for each other to run hold their nodes while they wait, so all of them are created at once and
// find their nodes as one gang; the barrier in the Pods waits until the role may start. A role that waits for the success of
// others, or for another Framework, would hold its nodes for nothing, so it is held back: its Pods are created later, together with the Pods of the
// roles that start after it. A role is open once it may start, and closed before.
package gates
