package e2enode

import (
	"context"
	"fmt"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

// product is what is tested. Its images are apart from those that users build.
var product = node.Product{Root: "../..", Images: "../../bin/e2e-node"}

// installController does what users do, and returns once the controller says that it is ready. It may make Secrets with keys.
func installController(ctx context.Context) error {
	if err := real.Install(ctx, kube, product, patience); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, describeController(ctx), real.LogTails())
	}
	_, err := kubectl(ctx, "apply", "-f", "../../deploy/ssh/secrets.yaml")
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

// controllerLog returns the lines of the controller's log that mention a text, not too many of them.
func controllerLog(about string) string {
	var found []string
	for line := range strings.Lines(real.Logs(node.ControllerNamespace)) {
		if strings.Contains(line, about) {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-60):], "")
}
