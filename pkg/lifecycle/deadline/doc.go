// Package deadline decides when the start of a Pod is given up: at a deadline that the Framework sets (startDeadline), or
// before or after it if a plugin says so.
//
// It promises that a Pod is given up no earlier than its first deadline unless a plugin ends it, and that what keeps it is timed
// from when that was first stored, also by another controller. It is pure: it takes what is known of the Pod, what is stored
// and the time. Storing, asking plugins, ending attempts and waking up are left to the caller.
//
//	pending := deadline.Since(stored, pod, now) // what keeps the Pod, and since when; to be stored
//	d := deadline.Decide(deadline.Case{Spec: spec, Pending: pending, Now: now, Verdict: verdict})
//	if d.Over != nil { ... }                    // the attempt fails with d.Over.Code
//	if d.Ask != nil { ... }                     // plugins are to be asked
//	wakeAt(d.LookAt)                            // unless it is zero
//
// # Words
//
// A Kind is a kind of thing that keeps a Pod from running: each has a deadline of its own, a time since when it does, and the
// code of the attempt that fails by it. A Pod is pending while one of them keeps it. Neither Pods nor kubelets say since when,
// so that is stored. A deadline fails an attempt once, as the Pod is deleted then.
package deadline
