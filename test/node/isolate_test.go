package node

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// partName is the environment variable with the part that this test binary plays when it runs again.
const partName = "FRAMEWORKCONTROLLER_TEST_NODE_PART"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(stageName) == stageFirst:
		os.Exit(report(first()))
	case os.Getenv(stageName) == stageInside:
		os.Exit(inside(os.Getenv(partName)))
	case os.Getenv(partName) != "":
		os.Exit(report(outside()))
	}
	os.Exit(m.Run())
}

// inside runs in the namespaces.
func inside(part string) int {
	switch part {
	case "tell":
		tell()
		return 7
	case "last": // longer than any test
		group := filepath.Join("/sys/fs/cgroup/pids", os.Getenv(cgroupName), "of-a-container")
		os.MkdirAll(group, 0o755)
		forgotten := exec.Command("setsid", "sleep", "1234")
		forgotten.Start()
		os.WriteFile(filepath.Join(group, "cgroup.procs"), fmt.Append(nil, forgotten.Process.Pid), 0o644)
		fmt.Println(os.Getenv(cgroupName))
		time.Sleep(time.Hour)
	}
	return 0
}

// tell prints the properties of the namespaces, one line each.
func tell() {
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if a.(*net.IPNet).IP.To4() != nil {
			fmt.Println(a)
		}
	}
	parent, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", os.Getppid()))
	fmt.Printf("child of %d %s", os.Getppid(), parent)
	panicsOnOops, _ := os.ReadFile("/proc/sys/kernel/panic_on_oops")
	fmt.Printf("panic_on_oops %s", panicsOnOops)
	fmt.Println(os.WriteFile("/var/lib/frameworkcontroller-was-here", nil, 0o644))
	// An orphan that has ended is taken leave of by its new parent.
	exec.Command("sh", "-c", "sh -c 'sleep 0.1' & exit").Run()
	time.Sleep(500 * time.Millisecond)
	zombies, _ := exec.Command("sh", "-c", "grep -l '^State:.Z' /proc/[0-9]*/status").Output()
	fmt.Printf("zombies: %q\n", zombies)
}

// part runs this test binary again.
func part(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	if testing.Short() {
		t.Skip("makes namespaces and cgroups")
	}
	if err := unmet(true); err != nil {
		t.Skip("this machine cannot run a node: ", err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), partName+"="+name)
	return cmd
}

// Changes inside do not affect the outside, and the exit code is passed out.
func TestIsolation(t *testing.T) {
	t.Parallel()
	settings := readSettings(t)
	out, err := part(t, "tell").Output()
	if code, _ := exitCode(err); code != 7 {
		t.Errorf("the exit code is %d, want 7: %v", code, err)
	}
	comm, err := os.ReadFile("/proc/self/comm")
	require.NoError(t, err)
	want := "127.0.0.1/8\n172.31.0.2/32\n10.96.0.1/32\n10.96.0.10/32\nchild of 1 exe\npanic_on_oops 1\n<nil>\nzombies: \"\"\n"
	if got := strings.Replace(string(out), string(comm), "exe\n", 1); got != want {
		t.Errorf("inside it is so:\n%swant:\n%s", got, want)
	}
	if _, err := os.Stat("/var/lib/frameworkcontroller-was-here"); err == nil {
		t.Error("a file of the node is on the machine")
	}
	if got := readSettings(t); got != settings {
		t.Errorf("settings of the kernel have changed:\n%swas:\n%s", got, settings)
	}
}

func readSettings(t *testing.T) string {
	t.Helper()
	var found []string
	for _, path := range []string{"/proc/sys/kernel/panic_on_oops", "/proc/sys/vm/panic_on_oom", "/proc/self/mounts"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		found = append(found, string(text))
	}
	return strings.Join(found, "")
}

// When the test process is killed, all processes inside end, and the cgroups go.
func TestKilled(t *testing.T) {
	t.Parallel()
	cmd := part(t, "last")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	name, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	groups := filepath.Join("/sys/fs/cgroup/*", strings.TrimSpace(name), "of-a-container", "cgroup.procs")
	if found, _ := filepath.Glob(groups); len(found) == 0 {
		t.Fatalf("there is no %s", groups)
	}
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	for deadline := time.Now().Add(machine.Within(20 * time.Second)); ; time.Sleep(50 * time.Millisecond) {
		left, _ := filepath.Glob(filepath.Join("/sys/fs/cgroup/*", strings.TrimSpace(name)))
		if len(left) == 0 {
			return // impossible while a process is in there
		}
		if time.Now().After(deadline) {
			t.Fatalf("these are left: %s", left)
		}
	}
}
