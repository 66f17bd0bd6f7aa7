// Package deadline decides when the start of a Pod is given up: at a deadline that the Framework sets (startDeadline), or
// earlier or later if a plugin decides so. It also decides for how long a Framework or an attempt of a Task may run
// (activeDeadlineSeconds).
//
// It promises that a Pod is given up no earlier than its first deadline unless a plugin ends it, and that each cause is timed
// from when it was first stored, even by another controller. It is pure: it takes the known facts about the Pod, the stored times
// and the current time. Storing, asking plugins, ending attempts and waking up are left to the caller.
//
//	pending := deadline.Since(stored, pod, now) // the causes that keep the Pod, with start times; to be stored
//	d := deadline.Decide(deadline.Case{Spec: spec, Pending: pending, Now: now, Verdict: verdict})
//	if d.Over != nil { ... }                    // the attempt fails with d.Over.Code
//	if d.Ask != nil { ... }                     // plugins are to be asked
//	wakeAt(d.LookAt)                            // unless it is zero
//
// # Words
//
// A Kind is a kind of cause that keeps a Pod from running: each has its own deadline, a start time, and the code of an attempt
// that fails by it. A Pod is pending while one of them applies. Neither Pods nor kubelets report the start time, so it is stored.
// A deadline fails an attempt only once, as the Pod is then deleted.
package deadline
