// Package nodefault judges failed Pods by what is wrong with their nodes: a condition, a taint, or the taint of a device. Such
// a failure is Transient, and later Pods of the Framework avoid the node. It may also suspect a node on which several
// Frameworks have failed in the same way, although nobody has found anything wrong with it.
//
// It promises to judge by the Pod, by what is known of its node at the moment, and, if it may suspect nodes, by what it was
// asked before: the same question may get another answer later, as nodes change. All times that it compares are in the
// question and on the node; it reads no clock. It remembers a bounded number of failures of each namespace, and they count for
// a bounded time. It leaves to nodewatch how nodes get to be known.
//
//	plugin.Serve(nodefault.New(nodewatch.Start))
//
// Vocabulary. A fault is what is wrong with a node; it concerns a Pod if it has begun before the Pod had ended, or soon after,
// as nodes are looked at from time to time. A symptom is how a Pod has failed: with which exit code, or for which reason. A
// suspicion is that several have failed with one symptom on one node.
package nodefault
