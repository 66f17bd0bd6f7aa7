package node

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// checkoutVersion is the tag that deploy/ names.
const checkoutVersion = "dev"

// Checkout is a checkout of the sources, whose manifests are installed with kubectl.
type Checkout struct {
	Root   string // root folder
	Images string // folder for the images, separate from the ones that users build
}

// Prepare builds the images for this machine, as make images does.
func (p Checkout) Prepare(ctx context.Context) error {
	fmt.Println("building the images")
	out, err := filepath.Abs(p.Images)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "run", "-C", filepath.Join(p.Root, "tools", "images"), ".",
		"-version", checkoutVersion, "-arch", runtime.GOARCH, "-out", out)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the images: %w\n%s", err, output)
	}
	return nil
}

// BarrierImage returns the name of the barrier's image.
func (p Checkout) BarrierImage() (string, error) {
	return "docker.io/frameworkcontroller/frameworkbarrier:" + checkoutVersion, nil
}

func (p Checkout) images() string { return p.Images }

func (p Checkout) install(ctx context.Context, c *cluster.Cluster) error {
	return run(ctx, c, c.Kubectl, "apply", "--server-side", "-k", filepath.Join(p.Root, "deploy"), "--cache-dir="+filepath.Join(c.Dir, "kubectl-cache"))
}
