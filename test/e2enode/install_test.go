package e2enode

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// imageDir is where the images are built, apart from those that users build.
	imageDir = "../../bin/e2e-node"
	// version is the tag that deploy/ names.
	version = "dev"

	barrierImage = "docker.io/frameworkcontroller/frameworkbarrier:" + version
	// appImage is what apps run in. It is a name that the examples use, here for an image that has a busybox too.
	appImage = "docker.io/library/busybox:1.37"

	// controllerNamespace is where deploy/ installs the controller.
	controllerNamespace = "frameworkcontroller"
)

// buildImages builds the images for this machine, as make images does.
func buildImages(ctx context.Context) error {
	fmt.Println("building the images")
	out, err := filepath.Abs(imageDir)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "run", "-C", "../../tools/images", ".",
		"-version", version, "-arch", runtime.GOARCH, "-out", out)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the images: %w\n%s", err, output)
	}
	return nil
}

func loadImages(ctx context.Context) error {
	archives, err := filepath.Glob(filepath.Join(imageDir, "*-"+runtime.GOARCH+".tar"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if err := real.LoadImage(ctx, archive); err != nil {
			return err
		}
	}
	return real.TagImage(ctx, barrierImage, appImage)
}

// installController does what users do, and returns once the controller says that it is ready.
func installController(ctx context.Context) error {
	if _, err := kubectl(ctx, "apply", "--server-side", "-k", "../../deploy"); err != nil {
		return err
	}
	if err := awaitController(ctx); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, describeController(ctx), real.LogTails())
	}
	return nil
}

func awaitController(ctx context.Context) error {
	_, err := kubectl(ctx, "rollout", "status", "deployment/frameworkcontroller",
		"--namespace="+controllerNamespace, "--timeout="+patience.String())
	return err
}

func describeController(ctx context.Context) string {
	out, err := kubectl(ctx, "describe", "pods", "--namespace="+controllerNamespace)
	return fmt.Sprintf("%v%s\n%s", err, out, real.Logs(controllerNamespace))
}

// controllerLog returns the lines of the controller's log that mention a text, not too many of them.
func controllerLog(about string) string {
	var found []string
	for line := range strings.Lines(real.Logs(controllerNamespace)) {
		if strings.Contains(line, about) {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-60):], "")
}
