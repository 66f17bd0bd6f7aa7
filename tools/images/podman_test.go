package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Podman loads the archives: the unpacked files equal the sources, and the entry runs as the image's user, and as a user unknown to the
// image without any writable directory.
func TestPodmanRunsTheImages(t *testing.T) {
	tools := needDebianTools(t)
	if os.Getuid() != 0 {
		t.Skip("it takes root")
	}
	p := newPodman(t, tools)
	for _, c := range components {
		p.load(c)
		p.checkFiles(c)
	}
	p.needContainers()
	if got := p.run("--read-only", reference("frameworkcontroller"), "--version"); got.code != 0 || got.text != testVersion+"\n" {
		t.Errorf("the controller: exit code %d, %s", got.code, got.text)
	}
	if got := p.run("--read-only", "--user=12345", reference("frameworkbarrier")); got.code != 210 {
		t.Errorf("the barrier, without any input: exit code %d, want 210; %s", got.code, got.text)
	}
}

// podman has all that it stores in a folder of its own.
type podman struct {
	t       *testing.T
	program string
	dir     string
	cgroup  string
}

func newPodman(t *testing.T, tools debianTools) podman {
	t.Helper()
	dir := t.TempDir()
	p := podman{t: t, dir: dir, cgroup: fmt.Sprintf("images-test-%d", os.Getpid()), program: tools.wrap(t, dir, "podman")}
	tools.wrap(t, dir, "conmon")
	tools.wrap(t, dir, "runc", "--root", filepath.Join(dir, "runc-state"))
	for name, text := range map[string]string{"containers.conf": podmanConfig, "storage.conf": storageConfig, "policy.json": anyImage} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "DIR", dir)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("CONTAINERS_CONF", filepath.Join(dir, "containers.conf"))
	t.Setenv("CONTAINERS_STORAGE_CONF", filepath.Join(dir, "storage.conf"))
	t.Cleanup(p.removeCgroups)
	return p
}

// The limits are allowed for every process, and nothing is shared with another podman of the machine.
const podmanConfig = `
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "none"
netns = "none"
[engine]
cgroup_manager = "cgroupfs"
conmon_path = ["DIR/conmon"]
events_logger = "none"
lock_type = "file"
runtime = "runc"
static_dir = "DIR/static"
tmp_dir = "DIR/tmp"
volume_path = "DIR/volumes"
[engine.runtimes]
runc = ["DIR/runc"]
`

// vfs needs no filesystem of a certain kind.
const storageConfig = `
[storage]
driver = "vfs"
graphroot = "DIR/storage"
runroot = "DIR/run"
`

const anyImage = `{"default": [{"type": "insecureAcceptAnything"}]}`

func (p podman) load(c component) {
	p.t.Helper()
	path := filepath.Join(p.dir, c.name+".tar")
	if err := os.WriteFile(path, archiveOf(p.t, c.name, images[c.name]), 0o644); err != nil {
		p.t.Fatal(err)
	}
	said := mustRun(p.t, p.program, "load", "-q", "--signature-policy", filepath.Join(p.dir, "policy.json"), "-i", path)
	if !strings.Contains(said, reference(c.name)) {
		p.t.Errorf("podman calls %s %s", c.name, said)
	}
	id := mustRun(p.t, p.program, "image", "inspect", "--format", "{{.Id}}", reference(c.name))
	if want := configName(p.t, images[c.name]).Hex; strings.TrimSpace(id) != want {
		p.t.Errorf("%s: podman has the image %s, want %s", c.name, id, want)
	}
}

// checkFiles looks into an image that nothing runs in.
func (p podman) checkFiles(c component) {
	p.t.Helper()
	rootfs := strings.TrimSpace(mustRun(p.t, p.program, "image", "mount", reference(c.name)))
	defer mustRun(p.t, p.program, "image", "unmount", reference(c.name))
	checkCopies(p.t, c, rootfs)
}

// needContainers skips the test on a machine that cannot run containers at all. It tries that with the shell alone.
func (p podman) needContainers() {
	p.t.Helper()
	if got := p.run("--entrypoint=/bin/busybox", reference("frameworkbarrier"), "true"); got.code != 0 {
		p.t.Skip("the images were loaded, but no container can be run here: ", got.text)
	}
}

func (p podman) run(args ...string) outcome {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.program, append([]string{"run", "--rm", "--cgroup-parent=/" + p.cgroup}, args...)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if exit != nil {
		return outcome{exit.ExitCode(), string(out)}
	}
	return outcome{0, string(out)}
}

// removeCgroups removes what podman leaves behind, deepest first.
func (p podman) removeCgroups() {
	for _, pattern := range []string{"*/*", "*", ""} {
		for _, at := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/*"} {
			left, _ := filepath.Glob(filepath.Join(at, p.cgroup, pattern))
			for _, dir := range left {
				_ = os.Remove(dir) // files cannot be removed, and disappear with their directory
			}
		}
	}
}
