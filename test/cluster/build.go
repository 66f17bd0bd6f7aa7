package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// processorMinutes is roughly how long the programs of a module take to build with an empty Go cache, on one processor of a virtual machine
// of 2026. It is used for an estimate.
var processorMinutes = map[string]float64{
	"kubernetes": 19, "kubernetes-" + string(Oldest): 17, "etcd": 2.5, "kwok": 4, "coscheduling": 10, "kueue": 10, "helm": 5, "coredns": 2, "codegen": 1,
}

// batch is built by one call of go build: programs of one module. The call compiles shared packages once, and links some programs while it
// compiles others.
type batch []tool

// batches keeps the order.
func batches(tools []tool) (found []batch) {
	for _, t := range tools {
		if n := len(found); n > 0 && found[n-1][0].module == t.module && found[n-1][0].ldflags == t.ldflags {
			found[n-1] = append(found[n-1], t)
			continue
		}
		found = append(found, batch{t})
	}
	return found
}

// buildAll builds from source, and logs beforehand how long that may take.
func buildAll(ctx context.Context, root checkout, log io.Writer, tools []tool) error {
	if len(tools) > 0 {
		fmt.Fprintf(log, "building from source: %s; less where Go has built parts of it before\n", estimate(tools, runtime.NumCPU()))
	}
	for _, b := range batches(tools) {
		if err := b.buildLogged(ctx, root, log); err != nil {
			return err
		}
	}
	return nil
}

// estimate counts the built share of a module, but half of the module for its first program: they share most packages.
func estimate(tools []tool, processors int) string {
	total := 0.0
	for _, b := range batches(tools) {
		all := max(moduleTools[b[0].module], 1)
		total += processorMinutes[b[0].module] * (0.5 + 0.5*float64(len(b))/float64(all))
	}
	return fmt.Sprintf("about %.0f min on %d processors", max(total/float64(processors), 1), processors)
}

// moduleTools is how many programs of a module a cluster has.
var moduleTools = map[string]int{"kubernetes": 4, "kubernetes-" + string(Oldest): 4, "kwok": 2}

func (b batch) buildLogged(ctx context.Context, root checkout, log io.Writer) error {
	version, err := b[0].version(root)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "building %s %s ... ", names(b), version)
	start := time.Now()
	if err := b.build(ctx, root, version); err != nil {
		fmt.Fprintln(log)
		return fmt.Errorf("building %s %s: %w", names(b), version, err)
	}
	fmt.Fprintf(log, "%.0f s\n", time.Since(start).Seconds())
	return nil
}

func names(tools []tool) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.name)
	}
	return strings.Join(all, ", ")
}

// build replaces each binary in one step: an older one may be running. The flags equal make build's, so that shared packages are in Go's
// cache once.
func (b batch) build(ctx context.Context, root checkout, version string) error {
	fresh, err := os.MkdirTemp(root.tools(), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	args := []string{"build", "-mod=readonly", "-buildvcs=false",
		"-ldflags", "-s -w " + strings.ReplaceAll(b[0].ldflags, "VERSION", version)}
	made := map[string]string{}
	if len(b) == 1 {
		made[b[0].name] = filepath.Join(fresh, b[0].name)
		args = append(args, "-o", made[b[0].name], b[0].pkg)
	} else {
		args = append(args, "-o", fresh+"/")
		for _, t := range b {
			made[t.name] = filepath.Join(fresh, path.Base(t.pkg))
			args = append(args, t.pkg)
		}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root.toolsModule(b[0].module)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	for _, t := range b {
		if err := t.put(root, made[t.name]); err != nil {
			return err
		}
	}
	return nil
}

// put moves a program into its place, in one step.
func (t tool) put(root checkout, file string) error {
	stamp, err := t.stamp(root)
	if err != nil {
		return err
	}
	if err := os.Rename(file, root.tool(t.name)); err != nil {
		return err
	}
	return os.WriteFile(t.stampFile(root), []byte(stamp+"\n"), 0o644)
}
