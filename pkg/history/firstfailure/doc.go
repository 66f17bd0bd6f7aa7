// Package firstfailure decides which Task of an attempt of a Framework failed first.
//
// It is pure. The caller passes each failure once, in any order, so that a million attempts of Tasks need little memory.
//
//	var s firstfailure.Search
//	for ... { s.Add(failure) }
//	id, answer, found := s.Answer()
//
// A failure is an attempt of a Task that did not succeed. It is one of three kinds:
//
//   - Own: the Task failed by itself, as far as is known.
//   - Disruption: the Pod was preempted, evicted or deleted by somebody, or resources were missing (Conflict). It is taken for the
//     first failure only if there is no failure of the first kind, because a long job survives many disruptions.
//   - Ended by others: the Task was cut short by the end of the attempt, restarted with another Task, or removed. It is a
//     consequence, and never the first failure.
//
// The first failure is the one with the containers that ended first. Nodes have clocks of their own, so failures within a second may be in
// the wrong order.
package firstfailure
