package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// scratch is where files of the node live that no program wants to have elsewhere. It is in memory and private, as all
// of /run is.
const scratch = "/run/frameworkcontroller-node"

// kernelSettings are the settings of the whole kernel that a kubelet requires. It finds them in files that hide the real ones, and leaves
// these alone.
var kernelSettings = map[string]string{
	"/proc/sys/vm/overcommit_memory":      "1",
	"/proc/sys/vm/panic_on_oom":           "0",
	"/proc/sys/kernel/panic":              "10",
	"/proc/sys/kernel/panic_on_oops":      "1",
	"/proc/sys/kernel/keys/root_maxkeys":  "1000000",
	"/proc/sys/kernel/keys/root_maxbytes": "25000000",
}

// makeMounts gives this process its own view of the files of the machine. All mounts vanish with the last process that sees them. The node
// writes to memory, not to disk: memory supports layers of images, whatever the machine's disk is, even if that itself consists of layers.
func makeMounts() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := mount("proc", "/proc"); err != nil {
		return err
	}
	if err := mount("tmpfs", "/run"); err != nil {
		return err
	}
	// Others may have files of theirs in these two, maybe this checkout. They stay visible.
	for _, dir := range []string{"/var/lib", "/var/log"} {
		if err := coverDir(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/var/lib/containerd", "/var/lib/kubelet"} {
		if err := mount("tmpfs", dir); err != nil {
			return err
		}
	}
	return coverSettings()
}

func mount(filesystem, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(filesystem, dir, filesystem, 0, ""); err != nil {
		return fmt.Errorf("mounting a %s at %s: %w", filesystem, dir, err)
	}
	return nil
}

// coverDir redirects writes to the folder into memory.
func coverDir(dir string) error {
	written := filepath.Join(scratch, "written", strings.ReplaceAll(dir, "/", "-"))
	upper, work := filepath.Join(written, "upper"), filepath.Join(written, "work")
	for _, d := range []string{upper, work} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", dir, upper, work)
	if err := syscall.Mount("overlay", dir, "overlay", 0, options); err != nil {
		return fmt.Errorf("mounting an overlay at %s: %w", dir, err)
	}
	return nil
}

func coverSettings() error {
	for path, value := range kernelSettings {
		if _, err := os.Stat(path); err != nil {
			continue // then the kubelet does not find it either
		}
		cover := filepath.Join(scratch, "settings", filepath.Base(path))
		if err := os.MkdirAll(filepath.Dir(cover), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(cover, []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		if err := syscall.Mount(cover, path, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("hiding %s: %w", path, err)
		}
	}
	return nil
}
