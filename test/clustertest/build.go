package clustertest

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
)

// Build builds what is in a package, or in several if to ends in a slash, as go build does with these flags.
func Build(ctx context.Context, to, what string, flags ...string) error {
	build := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", to}, flags, []string{what})...)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", what, err, output)
	}
	return nil
}
