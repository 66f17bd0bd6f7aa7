package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// classifierLines returns the commands of a section: the five that start the classifier, and the ones that end it.
func classifierLines(t *testing.T, path, heading string) (start, end string) {
	t.Helper()
	blocks := page.Blocks(page.Section(t, page.Read(t, filepath.Join("../..", path)), heading), "sh")
	require.Len(t, blocks, 2, "%s, under %q", path, heading)
	if n := strings.Count(blocks[0].Text, "\n"); n != 5 {
		t.Errorf("%s: the five lines are %d", path, n)
	}
	return blocks[0].Text, blocks[1].Text
}

// The five lines that the documentation promises work as they are printed, in a checkout with nothing but the tools; and the lines that
// follow leave nothing of it behind.
func TestWriteYourOwnClassifier(t *testing.T) {
	t.Parallel() // it has a cluster of its own
	start, end := classifierLines(t, "docs/tasks/write-a-plugin.md", "## Your own classifier in five lines")
	dir := freshCheckout(t)
	log := filepath.Join(dir, "output")
	t.Cleanup(func() {
		if t.Failed() {
			for _, file := range []string{log, filepath.Join(dir, "my-classifier", "log")} {
				text, _ := os.ReadFile(file)
				t.Logf("%s:\n%s", file, text[max(0, len(text)-4000):])
			}
		}
	})
	// In one shell, as for a user at a terminal: it remembers its process in the background.
	shell := startShell(t, dir, log, start+"touch started; until [ -e seen ]; do sleep 0.1; done\n"+end)
	shell.await(t, filepath.Join(dir, "started"))
	requireOwnClassifier(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "seen"), nil, 0o644))
	shell.await(t, "")
	shell.requireNothingLeft(t)
	for _, left := range []string{"my-classifier", "bin/plugins/my-classifier", "bin/clusters/dev"} {
		if _, err := os.Stat(filepath.Join(dir, left)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left behind (%v)", left, err)
		}
	}
}

// requireOwnClassifier waits until the Framework has completed, and its Task was retried because of the classifier.
func requireOwnClassifier(t *testing.T, dir string) {
	t.Helper()
	var last string
	err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		f, err := ownFramework(ctx, dir)
		if err != nil {
			return false, err
		}
		last = describe(f.Status)
		return f.Status != nil && f.Status.State == v1.Completed, nil
	})
	if want := "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-0\nworker-0 Completed retried=1/0 code=0 Succeeded\n"; err != nil || last != want {
		t.Errorf("%v, got:\n%swant:\n%s", err, last, want)
	}
}

func ownFramework(ctx context.Context, dir string) (*v1.Framework, error) {
	kubectl := exec.CommandContext(ctx, "bin/tools/kubectl", "--kubeconfig", "bin/clusters/dev/kubeconfig", "get", "fw", "myclassifier", "-o", "json")
	kubectl.Dir = dir
	text, err := kubectl.Output()
	if err != nil {
		return nil, fmt.Errorf("kubectl get: %w", err)
	}
	f := &v1.Framework{}
	return f, json.Unmarshal(text, f)
}

// shell runs commands, in a process group of its own.
type shell struct {
	group int
	done  chan error // receives how it ended
}

// startShell makes sure that none of its processes outlives the test.
func startShell(t *testing.T, dir, log, lines string) shell {
	t.Helper()
	output, err := os.Create(log)
	require.NoError(t, err)
	defer output.Close()
	sh := exec.Command("sh", "-ec", lines)
	sh.Dir, sh.Stdout, sh.Stderr = dir, output, output
	sh.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, sh.Start())
	s := shell{group: sh.Process.Pid, done: make(chan error, 1)}
	t.Cleanup(func() {
		syscall.Kill(-s.group, syscall.SIGTERM) // the controller, if it still runs
		down := exec.Command("make", "cluster-down")
		down.Dir = dir
		if text, err := down.CombinedOutput(); err != nil {
			t.Errorf("make cluster-down: %v\n%s", err, text)
		}
	})
	go func() { s.done <- sh.Wait() }()
	return s
}

// await waits until a file exists, or for the shell's end if the name is empty.
func (s shell) await(t *testing.T, file string) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	within := machine.Within(10 * time.Minute) // mostly compilation
	late := time.After(within)
	for {
		select {
		case err := <-s.done:
			if err != nil || file != "" {
				t.Fatalf("the commands ended with %v", err)
			}
			return
		case <-late:
			syscall.Kill(-s.group, syscall.SIGKILL)
			t.Fatalf("the commands take more than %s", within)
		case <-tick.C:
			if _, err := os.Stat(file); file != "" && err == nil {
				return
			}
		}
	}
}

// requireNothingLeft waits until no process of the shell is left.
func (s shell) requireNothingLeft(t *testing.T) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return errors.Is(syscall.Kill(-s.group, 0), syscall.ESRCH), nil
	})
	if err != nil {
		t.Errorf("a process that the commands have started still runs: %v", err)
	}
}

// freshCheckout copies this checkout, without built files, but with the tools, which take minutes.
func freshCheckout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "checkout")
	require.NoError(t, copyTree(root, dir))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(root, "bin", "tools"), filepath.Join(dir, "bin", "tools")))
	return dir
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case name == "bin" || name == "my-classifier" || d.Name() == ".git" || d.Name() == "node_modules":
			if !d.IsDir() {
				return nil // .git of a worktree is a file
			}
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode())
}
