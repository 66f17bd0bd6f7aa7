// Package nodewatch watches the nodes of a cluster, and the taints of their devices.
//
// It promises to return the API server's latest state, and to resume after the API server was unavailable. It keeps
// little of a node. Devices are left out if the API server does not serve them, or does not permit the program to see
// them.
//
//	cluster, err := nodewatch.Start("")
//	node, err := cluster.Node(ctx, "worker-1")
package nodewatch
