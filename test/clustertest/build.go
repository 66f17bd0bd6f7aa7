package clustertest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// program is a program of this repository, or a folder of several.
type program struct {
	name   string // in the folder bin/ of make build
	source string // seen from a package of tests
	env    []string
}

// The programs that tests run.
var (
	ControllerProgram = program{"frameworkcontroller", "../../cmd/controller", nil}
	BarrierProgram    = program{"frameworkbarrier", "../../cmd/barrier", []string{"CGO_ENABLED=0"}}
	KubectlProgram    = program{"kubectl-framework", "../../cmd/kubectl-framework", nil}
	HistoryProgram    = program{"history", "../../cmd/history", []string{"CGO_ENABLED=0"}}
	PluginPrograms    = program{"plugins", "../../plugins/...", nil} // the controller looks for them beside itself
)

// built names the variable with the folder into which make has built the programs. Without it, they are built here.
const built = "FC_BIN"

// Install puts programs into a folder, which may be changed then. Programs with flags for go build are always rebuilt.
func Install(ctx context.Context, dir string, p program, flags ...string) (path string, err error) {
	path = filepath.Join(dir, p.name)
	if from := os.Getenv(built); from != "" && len(flags) == 0 {
		return path, copyProgram(path, filepath.Join(from, p.name))
	}
	to := path
	if p.name == PluginPrograms.name {
		to += "/" // for go build, this makes it a folder
	}
	return path, build(ctx, to, p.source, p.env, flags)
}

// Build builds a package, or several if to ends in a slash, as go build does with these flags.
func Build(ctx context.Context, to, what string, flags ...string) error {
	return build(ctx, to, what, nil, flags)
}

func build(ctx context.Context, to, what string, env, flags []string) error {
	build := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", to}, flags, []string{what})...)
	build.Env = append(os.Environ(), env...)
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", what, err, output)
	}
	return nil
}

func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
