package nodefault

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Cluster has the state of nodes.
type Cluster interface {
	// Node returns the known state of a node; nil if there is none of that name. It waits until nodes are known, as
	// long as the context lasts; the error says why they are not.
	Node(ctx context.Context, name string) (*Node, error)
}

// Start starts to watch the nodes of a cluster: the one of the kubeconfig file or, if that is empty, the one in which
// the program runs. It returns an error if it cannot start.
type Start func(kubeconfig string) (Cluster, error)

// Node is the part of a node's state that is read.
type Node struct {
	Conditions []corev1.NodeCondition
	Taints     []corev1.Taint
	// Devices are the taints of its devices.
	Devices []DeviceTaint
}

// DeviceTaint means that a device of a node is not to be used.
type DeviceTaint struct {
	Driver, Device, Key, Value string
	// When it was set; zero if unknown.
	Since time.Time
}
