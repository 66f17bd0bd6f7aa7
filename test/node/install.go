package node

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

const (
	// version is the tag that deploy/ names.
	version = "dev"
	// BarrierImage is the image of the barrier.
	BarrierImage = "docker.io/frameworkcontroller/frameworkbarrier:" + version

	// ControllerNamespace is where deploy/ installs the controller.
	ControllerNamespace = "frameworkcontroller"
)

// Product is the checkout whose images and manifests a node gets.
type Product struct {
	Root   string // root folder of the checkout
	Images string // folder for the images, separate from the ones that users build
}

// BuildImages builds the images for this machine, as make images does.
func (p Product) BuildImages(ctx context.Context) error {
	fmt.Println("building the images")
	out, err := filepath.Abs(p.Images)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "run", "-C", filepath.Join(p.Root, "tools", "images"), ".",
		"-version", version, "-arch", runtime.GOARCH, "-out", out)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the images: %w\n%s", err, output)
	}
	return nil
}

// Install loads the images, installs the controller as users do, and returns once the controller is ready. After an error the installation
// stays for inspection.
func (n *Node) Install(ctx context.Context, c *cluster.Cluster, p Product, patience time.Duration) error {
	archives, err := filepath.Glob(filepath.Join(p.Images, "*-"+runtime.GOARCH+".tar"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if err := n.LoadImage(ctx, archive); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"apply", "--server-side", "-k", filepath.Join(p.Root, "deploy"), "--cache-dir=" + filepath.Join(c.Dir, "kubectl-cache")},
		{"rollout", "status", "deployment/frameworkcontroller", "--namespace=" + ControllerNamespace, "--timeout=" + patience.String()},
	} {
		if output, err := c.Command(ctx, c.Kubectl, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl %v: %w\n%s", args, err, output)
		}
	}
	return nil
}
