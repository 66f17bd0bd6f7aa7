package e2enode

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

var release = flag.String("release", "", "the folder of a release to test, instead of this checkout")

// product returns the tested product. The images of this checkout are separate from the ones that users build.
func product() node.Product {
	if *release != "" {
		return node.Release(filepath.Clean(*release))
	}
	return node.Checkout{Root: "../..", Images: "../../bin/e2e-node"}
}

// installController installs as users do, and returns once the controller is ready. The controller may create Secrets with keys, and claims.
func installController(ctx context.Context) error {
	if err := real.Install(ctx, kube, product(), patience); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, describeController(ctx), real.LogTails())
	}
	_, err := kubectl(ctx, "apply", "-f", "../../deploy/ssh/secrets.yaml", "-f", "../../deploy/volumes/claims.yaml")
	return err
}

func awaitController(ctx context.Context) error {
	_, err := kubectl(ctx, "rollout", "status", "deployment/frameworkcontroller",
		"--namespace="+node.ControllerNamespace, "--timeout="+patience.String())
	return err
}

func describeController(ctx context.Context) string {
	out, err := kubectl(ctx, "describe", "pods", "--namespace="+node.ControllerNamespace)
	return fmt.Sprintf("%v%s\n%s", err, out, real.Logs(node.ControllerNamespace))
}

// controllerLog returns the last lines of the controller's log that contain a text.
func controllerLog(about string) string {
	var found []string
	for line := range strings.Lines(real.Logs(node.ControllerNamespace)) {
		if strings.Contains(line, about) {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-60):], "")
}
