package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// fiveLines are the commands under the heading about writing one's own classifier.
func fiveLines(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), heading+"\n")
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)
	if !found || block == nil {
		t.Fatalf("%s has no commands under %q", page, heading)
	}
	if n := strings.Count(block[1], "\n"); n != 5 {
		t.Errorf("%s: the five lines are %d", page, n)
	}
	return block[1]
}

// The five lines that README and documentation promise work as they are printed, in a checkout without anything but the
// tools.
func TestWriteYourOwnClassifier(t *testing.T) {
	lines := fiveLines(t, "README.md", "## Write your own classifier")
	if other := fiveLines(t, "docs/writing-a-plugin.md", "## Your own classifier in five lines"); other != lines {
		t.Errorf("README and documentation differ:\n%s\n%s", lines, other)
	}
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
	runLines(t, dir, log, lines)

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

// runLines runs commands as a shell does, and what they leave running until the test ends.
func runLines(t *testing.T, dir, log, lines string) {
	t.Helper()
	output, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	shell := exec.Command("sh", "-ec", lines)
	shell.Dir, shell.Stdout, shell.Stderr = dir, output, output
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	group := -shell.Process.Pid
	t.Cleanup(func() {
		syscall.Kill(group, syscall.SIGTERM) // the controller, if it was started
		down := exec.Command("make", "cluster-down")
		down.Dir = dir
		if text, err := down.CombinedOutput(); err != nil {
			t.Errorf("make cluster-down: %v\n%s", err, text)
		}
	})
	done := make(chan error, 1)
	go func() { done <- shell.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("the commands ended with %v", err)
		}
	case <-time.After(5 * time.Minute):
		syscall.Kill(group, syscall.SIGKILL)
		t.Fatal("the commands have not ended in 5 minutes")
	}
}

// freshCheckout copies this checkout, without what was built, but for the tools, which take minutes.
func freshCheckout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "checkout")
	if err := copyTree(root, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "bin", "tools"), filepath.Join(dir, "bin", "tools")); err != nil {
		t.Fatal(err)
	}
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
