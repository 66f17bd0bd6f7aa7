package nodefault

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Cluster tells of nodes.
type Cluster interface {
	// Node returns what is known of a node; nil if there is none of that name. It waits until nodes are known, as long as the
	// context lasts; the error says why they are not.
	Node(ctx context.Context, name string) (*Node, error)
}

// Start begins to look at the nodes of a cluster: that of the kubeconfig file, or if that is empty the one that the program
// runs in. The error is that it cannot begin.
type Start func(kubeconfig string) (Cluster, error)

// Node is what is looked at of a node.
type Node struct {
	Conditions []corev1.NodeCondition
	Taints     []corev1.Taint
	// Devices are the taints of its devices.
	Devices []DeviceTaint
}

// DeviceTaint says that a device of a node is not to be used.
type DeviceTaint struct {
	Driver, Device, Key, Value string
	// Since when; zero if that is not said.
	Since time.Time
}
