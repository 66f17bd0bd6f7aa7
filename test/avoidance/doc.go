// Package avoidance tests that Pods avoid nodes, with kube-scheduler: a node kills every Pod, and a Framework has one node, two, or ten,
// and avoids bad ones by Prefer or by Require. It also tests the plugin classifier-nodes, with real Node objects and ResourceSlices.
//
// There are fourteen simulated nodes. Each test has its own, distinguished by the label pool.
package avoidance
