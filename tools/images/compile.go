package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// program is what go build makes of a package, or of several.
type program struct {
	source string // as go build takes it, from the root of the sources
	output string // in the component's directory; one that ends in / gets a file for each main package
}

// compile builds the programs of a component into dir.
func (b *build) compile(ctx context.Context, c component, arch, dir string) error {
	for _, p := range c.programs {
		if err := b.goBuild(ctx, arch, p.source, dir+"/"+p.output); err != nil {
			return fmt.Errorf("building %s for %s: %w", p.source, arch, err)
		}
	}
	return nil
}

// goBuild leaves the path of the checkout, its state in git and the machine's habits out of what it builds.
func (b *build) goBuild(ctx context.Context, arch, source, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+b.version, "-o", out, source)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}
