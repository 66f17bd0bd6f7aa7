// Package ended restores the end of an attempt of a Framework from rows of the history: its last status, and the facts from which package
// explain makes statements. The commands and the history server share it.
//
// It is pure. Rows contain neither the spec nor the limits of retries, so these are unknown.
//
//	a, err := ended.Choose(&detail, -1)    // the newest attempt
//	a.TaskAttempts = ...                   // in the order of roles, indices and ends: ended.Sort
//	answer := explain.PastFramework(a.Facts(deleted, time.Now()))
package ended
