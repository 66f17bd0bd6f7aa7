package main

import (
	"context"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// room is the free capacity of nodes, in thousandths of a CPU. They are filled in the order of the list.
type room struct {
	nodes []string
	free  map[string]int64
}

// roomOn is the room of nodes without Pods.
func (c clients) roomOn(ctx context.Context, nodes []string) (room, error) {
	r := room{nodes, map[string]int64{}}
	for _, name := range nodes {
		node, err := c.core.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return room{}, err
		}
		r.free[name] = node.Status.Allocatable.Cpu().MilliValue()
	}
	return r, nil
}

func (r room) clone() room { return room{r.nodes, maps.Clone(r.free)} }

// left is a copy without the room taken by existing Pods.
func (r room) left(pods []pod) room {
	r = r.clone()
	for _, p := range pods {
		if p.isThere() {
			r.free[p.Spec.NodeName] -= p.cpu()
		}
	}
	return r
}

// take finds a node with that much room, and takes it.
func (r room) take(cpu int64) (node string, found bool) {
	for _, node := range r.nodes {
		if r.free[node] >= cpu {
			r.free[node] -= cpu
			return node, true
		}
	}
	return "", false
}

// sum is the free capacity of all nodes together.
func (r room) sum() int64 {
	var sum int64
	for _, free := range r.free {
		sum += free
	}
	return sum
}
