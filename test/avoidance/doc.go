// Package avoidance tests that Pods avoid nodes, with kube-scheduler: a node kills every Pod, and a Framework has one node, two,
// or ten, and avoids those that are bad by Prefer or by Require. It also tests the plugin classifier-nodes, with real Node
// objects and ResourceSlices.
//
// Nodes are simulated, and fourteen. Each test has its own, told apart by the label pool.
package avoidance
