package main

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// lookAround prints how to look into the cluster.
func lookAround(c *cluster.Cluster) {
	fmt.Printf("look around with:\n  export KUBECONFIG=%s\n  %s get frameworks,pods\n", c.Kubeconfig, c.Kubectl)
}
