package node

import (
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

//go:embed reap.sh
var reapScript string

// cgroups is one cgroup in each hierarchy of the machine. All containers are in it.
type cgroups struct {
	name string
	dirs []string
}

// makeCgroups makes cgroups under a name that no other process uses.
func makeCgroups() (cgroups, error) {
	g := cgroups{name: fmt.Sprintf("frameworkcontroller-node-%d-%08x", os.Getpid(), rand.Uint32())}
	mounts, err := cgroupMounts()
	if err != nil {
		return g, err
	}
	for _, mount := range mounts {
		dir := filepath.Join(mount, g.name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return g, errors.Join(err, g.remove())
		}
		g.dirs = append(g.dirs, dir)
		if err := inheritCPUs(mount, dir); err != nil {
			return g, errors.Join(err, g.remove())
		}
	}
	return g, nil
}

// cgroupMounts returns where hierarchies are mounted.
func cgroupMounts() ([]string, error) {
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line) // device, mount point, type, options ...
		if len(fields) < 3 || !strings.HasPrefix(fields[1], "/sys/fs/cgroup") {
			continue
		}
		if fields[2] == "cgroup" || fields[2] == "cgroup2" {
			found = append(found, fields[1])
		}
	}
	if found == nil {
		return nil, errors.New("no cgroups are mounted below /sys/fs/cgroup")
	}
	return found, nil
}

// inheritCPUs: in version 1, a new cgroup of cpusets has none, and then no process may enter it.
func inheritCPUs(from, to string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(from, file))
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, file), value, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// remove removes cgroups that nothing has ever used.
func (g cgroups) remove() error {
	var err error
	for _, dir := range g.dirs {
		err = errors.Join(err, os.Remove(dir))
	}
	return err
}

// reapWithMe starts a process that removes the cgroups, and the processes in them, when this process has ended. The returned function makes
// it do so at once, and waits for it. It is a session of its own, so that a signal from the terminal does not end it.
func (g cgroups) reapWithMe() (done func() error, err error) {
	cmd := exec.Command("sh", append([]string{"-c", reapScript, "reap"}, g.dirs...)...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	owner, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting what removes the cgroups: %w", err)
	}
	return func() error {
		owner.Close()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("removing the cgroups %s: %w", g.name, err)
		}
		return nil
	}, nil
}
