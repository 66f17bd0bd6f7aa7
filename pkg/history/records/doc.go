// Package records makes the records of the history from the stored state of a Framework. It is pure: the same state gives the same records,
// with the same keys, no matter which controller makes them, and how often.
//
//	all := records.Attempt(subject, state, pods)
//
// Facts that only a Pod has, such as the time at which it got its node, are in a record only if the Pod was seen; see Pod.
package records
