package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// BuildTools builds the programs that a cluster of a release needs into bin/tools. It leaves out those that are there in the
// pinned version. It tells its progress to log. Processes that call it at once wait for each other.
func BuildTools(ctx context.Context, log io.Writer, r Release) error {
	return buildTools(ctx, log, toolset(r))
}

func buildTools(ctx context.Context, log io.Writer, tools []tool) error {
	root, err := findCheckout()
	if err != nil {
		return err
	}
	if missing, err := unbuilt(root, tools); err != nil || len(missing) == 0 {
		return err
	}
	unlock, err := lockTools(root, log)
	if err != nil {
		return err
	}
	defer unlock()
	return buildMissing(ctx, root, log, tools)
}

func unbuilt(root checkout, tools []tool) ([]tool, error) {
	var missing []tool
	for _, t := range tools {
		built, err := t.built(root)
		if err != nil {
			return nil, err
		}
		if !built {
			missing = append(missing, t)
		}
	}
	return missing, nil
}

func lockTools(root checkout, log io.Writer) (unlock func() error, err error) {
	if err := os.MkdirAll(root.tools(), 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(root.tools(), ".lock")
	f, err := tryLock(path)
	if f == nil && err == nil {
		fmt.Fprintln(log, "waiting for another process that builds the tools")
		f, err = waitLock(path)
	}
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

// buildMissing looks again at what is missing: the lock may have been held by somebody who built it.
func buildMissing(ctx context.Context, root checkout, log io.Writer, tools []tool) error {
	missing, err := unbuilt(root, tools)
	if err != nil {
		return err
	}
	for i, t := range missing {
		if err := t.buildLogged(ctx, root, log, i+1, len(missing)); err != nil {
			return err
		}
	}
	return nil
}

func (t tool) buildLogged(ctx context.Context, root checkout, log io.Writer, number, of int) error {
	version, err := t.version(root)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "building %s %s (%d of %d) ... ", t.name, version, number, of)
	start := time.Now()
	if err := t.build(ctx, root, version); err != nil {
		fmt.Fprintln(log)
		return fmt.Errorf("building %s %s: %w", t.name, version, err)
	}
	fmt.Fprintf(log, "%.0f s\n", time.Since(start).Seconds())
	return nil
}

// build replaces the binary in one step: an older one may be running.
func (t tool) build(ctx context.Context, root checkout, version string) error {
	stamp, err := t.stamp(root)
	if err != nil {
		return err
	}
	fresh := root.tool("." + t.name + ".new")
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-buildvcs=false", "-trimpath",
		"-ldflags", "-s -w "+strings.ReplaceAll(t.ldflags, "VERSION", version), "-o", fresh, t.pkg)
	cmd.Dir = root.toolsModule(t.module)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	if err := os.Rename(fresh, root.tool(t.name)); err != nil {
		return err
	}
	return os.WriteFile(t.stampFile(root), []byte(stamp+"\n"), 0o644)
}
