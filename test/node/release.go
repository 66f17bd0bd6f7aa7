package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// Release is a folder of make release, whose chart is installed with Helm.
type Release string

// Prepare builds Helm, unless it is there.
func (p Release) Prepare(ctx context.Context) error {
	_, err := cluster.Tool(ctx, os.Stderr, cluster.Helm)
	return err
}

// BarrierImage returns the name of the barrier's image.
func (p Release) BarrierImage() (string, error) {
	list, err := os.ReadFile(filepath.Join(string(p), "images.txt"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(list)) {
		file, rest, _ := strings.Cut(line, "\t")
		if image, _, pinned := strings.Cut(rest, "@"); pinned && strings.HasPrefix(file, "frameworkbarrier-image-") {
			return image, nil
		}
	}
	return "", fmt.Errorf("%s/images.txt has no image of the barrier", p)
}

func (p Release) images() string { return string(p) }

func (p Release) install(ctx context.Context, c *cluster.Cluster) error {
	charts, err := filepath.Glob(filepath.Join(string(p), "frameworkcontroller-*.tgz"))
	if err != nil {
		return err
	}
	if len(charts) != 1 {
		return fmt.Errorf("%s has %d charts", p, len(charts))
	}
	helm, err := cluster.Tool(ctx, os.Stderr, cluster.Helm)
	if err != nil {
		return err
	}
	return run(ctx, c, helm, "install", "frameworkcontroller", charts[0], "--namespace="+ControllerNamespace, "--create-namespace")
}
