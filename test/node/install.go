package node

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// ControllerNamespace is where the controller is installed.
const ControllerNamespace = "frameworkcontroller"

// Product is what is installed on a node: a Checkout or a Release.
type Product interface {
	// Prepare builds what Install needs. It uses the machine's network, which a node does not have.
	Prepare(ctx context.Context) error
	// BarrierImage returns the name of the barrier's image.
	BarrierImage() (string, error)

	// images returns the folder with the archives of the images.
	images() string
	// install installs the controller as users do, and need not wait for it.
	install(ctx context.Context, c *cluster.Cluster) error
}

// Install loads the images, installs the controller, and returns once it is ready. After an error the installation stays for inspection.
func (n *Node) Install(ctx context.Context, c *cluster.Cluster, p Product, patience time.Duration) error {
	archives, err := filepath.Glob(filepath.Join(p.images(), "*-"+runtime.GOARCH+".tar"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if err := n.LoadImage(ctx, archive); err != nil {
			return err
		}
	}
	if err := p.install(ctx, c); err != nil {
		return err
	}
	return run(ctx, c, c.Kubectl, "rollout", "status", "deployment/frameworkcontroller", "--namespace="+ControllerNamespace,
		"--timeout="+patience.String())
}

// run runs a client of the cluster, whose output is in the error.
func run(ctx context.Context, c *cluster.Cluster, program string, args ...string) error {
	if output, err := c.Command(ctx, program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", filepath.Base(program), args, err, output)
	}
	return nil
}
