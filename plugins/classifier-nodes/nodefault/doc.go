// Package nodefault judges failed Pods by faults of their nodes: a condition, a taint, or the taint of a device. Such a
// failure is Transient, and later Pods of the Framework avoid the node. It may also suspect a node on which several
// Frameworks have failed in the same way, although nobody has found a fault.
//
// It promises to judge by the Pod, by the current state of its node and, if it may suspect nodes, by earlier questions:
// the same question may get another answer later, as nodes change. All times that it compares are in the question and
// on the node; it reads no clock. It remembers a bounded number of failures of each namespace, for a bounded time.
// Watching nodes is left to nodewatch.
//
//	plugin.Serve(nodefault.New(nodewatch.Start))
//
// Vocabulary. A fault is a problem of a node; it concerns a Pod if it began before the Pod ended, or soon after, as
// nodes are checked from time to time. A symptom is the way a Pod failed: its exit code, or its reason. A suspicion
// arises when several Pods have failed with one symptom on one node.
package nodefault
