package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// createNodes adds the simulated Nodes node-0 ... node-(n-1).
func createNodes(ctx context.Context, client kubernetes.Interface, n int) error {
	for i := range n {
		_, err := client.CoreV1().Nodes().Create(ctx, simulatedNode(i), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("creating node %d: %w", i, err)
		}
	}
	return nil
}

// simulatedNode has the size of a common GPU machine, but takes more Pods. Much larger ones would all look equally
// empty to the scheduler, which then puts everything on the first.
func simulatedNode(i int) *corev1.Node {
	name := fmt.Sprintf("node-%d", i)
	room := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("32"),
		corev1.ResourceMemory:           resource.MustParse("256Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("1000"),
		"nvidia.com/gpu":                resource.MustParse("8"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:   name,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: "amd64",
			},
		},
		Status: corev1.NodeStatus{
			Capacity:    room,
			Allocatable: room,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.255.%d.%d", i/250, i%250+1)},
				{Type: corev1.NodeHostName, Address: name},
			},
		},
	}
}

// awaitUsable returns once Pods can be created in the namespace default and scheduled on every Node.
func awaitUsable(ctx context.Context, client kubernetes.Interface) error {
	var missing error
	err := poll(ctx, 2*time.Minute, func(ctx context.Context) bool {
		missing = errors.Join(hasServiceAccount(ctx, client), nodesSchedulable(ctx, client))
		return missing == nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", err, missing)
	}
	return nil
}

func poll(ctx context.Context, limit time.Duration, done func(context.Context) bool) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, limit, true, func(ctx context.Context) (bool, error) {
		return done(ctx), nil
	})
}

// hasServiceAccount: Pods are refused until the controller manager has created their namespace's account.
func hasServiceAccount(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
	return err
}

// nodesSchedulable: a new Node is tainted until the controller manager has seen it Ready.
func nodesSchedulable(ctx context.Context, client kubernetes.Interface) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		if len(node.Spec.Taints) > 0 {
			return fmt.Errorf("node %s is still tainted: %v", node.Name, node.Spec.Taints)
		}
	}
	return nil
}
