package cluster

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// sleeper starts a process that carries the cluster's mark, as the cluster's own do.
func sleeper(t *testing.T, h *home) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	cmd.Env = []string{h.mark()}
	require.NoError(t, cmd.Start())
	return cmd
}

func mustHome(t *testing.T, parent, name string) *home {
	t.Helper()
	h, err := newHome(parent, name)
	require.NoError(t, err)
	t.Cleanup(func() { h.remove() })
	return h
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestRemoveEndsOnlyItsOwnProcesses(t *testing.T) {
	parent := t.TempDir()
	mine, other := mustHome(t, parent, ""), mustHome(t, parent, "")
	killed, spared := sleeper(t, mine), sleeper(t, other)

	require.NoError(t, mine.remove())
	if exists(mine.dir) || !exists(other.dir) {
		t.Error("want exactly the removed cluster's folder gone")
	}
	if err := killed.Wait(); err == nil {
		t.Error("the cluster's process ended by itself")
	}
	if !alive(pid(spared)) {
		t.Error("the other cluster's process is gone")
	}
	if err := mine.remove(); err != nil {
		t.Errorf("removing again: %v", err)
	}
}

func pid(cmd *exec.Cmd) string { return strconv.Itoa(cmd.Process.Pid) }

func TestKeptClusterIsRemovedOnRequest(t *testing.T) {
	parent := t.TempDir()
	h := mustHome(t, parent, "dev")
	process := sleeper(t, h)
	require.NoError(t, h.keep())
	if err := sweep(parent); err != nil || !exists(h.dir) {
		t.Fatalf("sweep: %v; a kept cluster must stay", err)
	}
	if _, err := newHome(parent, "dev"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second cluster of that name: error %v, want ErrExist", err)
	}
	if err := (&home{dir: h.dir}).remove(); err != nil || exists(h.dir) {
		t.Errorf("remove: %v; folder there: %v", err, exists(h.dir))
	}
	if err := process.Wait(); err == nil {
		t.Error("the cluster's process ended by itself")
	}
}

func TestSweepSparesOwnedClusters(t *testing.T) {
	parent := t.TempDir()
	owned := mustHome(t, parent, "owned")
	unowned := filepath.Join(parent, "unowned")
	require.NoError(t, os.Mkdir(unowned, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(unowned, "owner"), nil, 0o644))
	require.NoError(t, sweep(parent))
	if !exists(owned.dir) || exists(unowned) {
		t.Error("want exactly the folder without a living owner gone")
	}
}

// The owner is this test binary, started once more, and runs TestOwnerProcess.
func TestNothingOutlivesAKilledOwner(t *testing.T) {
	parent := t.TempDir()
	owner := exec.Command(os.Args[0], "-test.run=^TestOwnerProcess$")
	owner.Env = append(os.Environ(), "OWNER_PARENT="+parent)
	out, err := owner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, owner.Start())
	sleeperPid, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	owner.Process.Kill()
	owner.Wait()

	deadline := time.Now().Add(machine.Within(10 * time.Second))
	for alive(strings.TrimSpace(sleeperPid)) || !empty(parent) {
		if time.Now().After(deadline) {
			t.Fatal("a process or a folder is left")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestOwnerProcess(t *testing.T) {
	parent := os.Getenv("OWNER_PARENT")
	if parent == "" {
		t.Skip("only run by TestNothingOutlivesAKilledOwner")
	}
	process := sleeper(t, mustHome(t, parent, ""))
	os.Stdout.WriteString(pid(process) + "\n")
	time.Sleep(time.Minute)
}

// alive is false for a zombie, which has no environment.
func alive(pid string) bool {
	environment, _ := os.ReadFile("/proc/" + pid + "/environ")
	return len(environment) > 0
}

func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}
