// Package nodewatch knows the nodes of a cluster, and the taints of their devices, by watching them.
//
// It promises that what it tells is what the API server has said last, and that it goes on after the API server was away. It
// keeps little of a node. Devices are left out if the API server does not serve them, or does not let the program see them.
//
//	cluster, err := nodewatch.Start("")
//	node, err := cluster.Node(ctx, "worker-1")
package nodewatch
