package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// program is the output of go build for a package, or for several.
type program struct {
	source string // argument of go build, from the root of the sources
	output string // in the component's directory; a path that ends in / gets a file for each main package
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

// versionPackage has the variables that tell a program which build it is.
const versionPackage = "github.com/frameworkcontroller/frameworkcontroller/pkg/version"

// goBuild keeps the path of the checkout, its state in git and the machine's settings out of the binary. Without tables for a debugger, which
// -s drops anyway, packages that make build has compiled serve here, too.
func (b *build) goBuild(ctx context.Context, arch, source, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false",
		"-ldflags", fmt.Sprintf("-s -w -X %[1]s.number=%[2]s -X %[1]s.commit=%[3]s", versionPackage, b.version, b.commit), "-o", out, source)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}
