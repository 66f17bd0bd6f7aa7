package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// users are the users as whom Pods run images: the image's own, an unknown one, and root.
var users = []uint32{user, 12345, 0}

// The documented way to configure the controller: another file is copied over the one beside the binary.
func TestConfiguredByCopyingAFile(t *testing.T) {
	needImages(t)
	for _, uid := range users {
		box := newBox(t, "frameworkcontroller", uid)
		box.write("config/frameworkcontroller.yaml", "workerNumber: -5\n")
		got := box.run("bash", "-c", "cp /config/frameworkcontroller.yaml . && ./start.sh")
		if got.code != 1 || !strings.Contains(got.text, "workerNumber") {
			t.Errorf("as user %d: exit code %d, %s\nwant 1, and the key that is wrong in the copied file", uid, got.code, got.text)
		}
	}
}

// The entry, with arguments; it replaces the shell, so that signals reach the program.
func TestEntryOfTheController(t *testing.T) {
	needImages(t)
	for _, uid := range users {
		box := newBox(t, "frameworkcontroller", uid)
		if got := box.run("./start.sh", "--version"); got.code != 0 || got.text != testVersion+"\n" {
			t.Errorf("as user %d: exit code %d, %s", uid, got.code, got.text)
		}
		if got := box.run("./start.sh", "version"); got.code != 0 || !strings.HasPrefix(got.text, "frameworkcontroller "+testVersion+" (commit ") {
			t.Errorf("as user %d: exit code %d, %s", uid, got.code, got.text)
		}
		if got := box.run("bash", "-c", "cp frameworkcontroller.yaml /tmp/copy && ./start.sh --version"); got.code != 0 {
			t.Errorf("as user %d: exit code %d, %s", uid, got.code, got.text)
		}
	}
}

// A script that is the last command replaces the shell that runs it: a signal to process 1 of the container, which Kubernetes sends,
// reaches the script.
func TestSignalsReachTheProgram(t *testing.T) {
	needImages(t)
	box := newBox(t, "frameworkcontroller", user)
	box.write("config/start.sh", "#!/bin/sh\nset -eu\ncd \"$(dirname \"$0\")\"\nexec sh -c 'echo $$'\n")
	got := box.run("bash", "-c", "echo $$; cp /config/start.sh /tmp && chmod +x /tmp/start.sh && /tmp/start.sh")
	lines := strings.Fields(got.text)
	if got.code != 0 || len(lines) != 2 || lines[0] != lines[1] {
		t.Errorf("exit code %d, processes %q; want the same twice", got.code, lines)
	}
}

// The barrier writes into its directory and into /mnt/frameworkbarrier, as any user, and passes its exit code on.
func TestEntryOfTheBarrier(t *testing.T) {
	needImages(t)
	for _, uid := range users {
		box := newBox(t, "frameworkbarrier", uid)
		if got := box.run("./start.sh"); got.code != 210 {
			t.Errorf("as user %d, without any input: exit code %d, want 210; %s", uid, got.code, got.text)
		}
		if got := box.run("bash", "-c", "echo x > framework.json && cp framework.json /mnt/frameworkbarrier/"); got.code != 0 {
			t.Errorf("as user %d: cannot write: %s", uid, got.text)
		}
	}
}

// The history server writes into /data, as any user, and ends cleanly on a signal.
func TestEntryOfTheHistoryServer(t *testing.T) {
	needImages(t)
	for _, uid := range users {
		box := newBox(t, "frameworkhistory", uid)
		if got := box.run("./start.sh", "version"); got.code != 0 || !strings.HasPrefix(got.text, "history "+testVersion+" (commit ") {
			t.Errorf("as user %d: exit code %d, %s", uid, got.code, got.text)
		}
		got := box.run("bash", "-c", `./start.sh --no-auth --address=127.0.0.1:0 --database=/data/history.db &
			while kill -0 $! && ! [ -s /data/history.db-wal ]; do sleep 0.1; done; kill $! && wait $!`)
		if got.code != 0 || !strings.Contains(got.text, "stopping") {
			t.Errorf("as user %d: exit code %d, %s", uid, got.code, got.text)
		}
	}
}

// The shell is accompanied by its licence, and by a pointer to its source.
func TestLicenceOfTheShell(t *testing.T) {
	needImages(t)
	for name := range images {
		for path, want := range map[string]string{"GPL-2": "GNU GENERAL PUBLIC LICENSE", "copyright": shell.busybox.source} {
			text, err := os.ReadFile(filepath.Join(rootfs(t, name), "usr/share/doc/busybox", path))
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: %s does not say %q (%v)", name, path, want, err)
			}
		}
	}
}

// box is an image that is unpacked, to run commands in.
type box struct {
	t    *testing.T
	root string
	dir  string // working directory
	uid  uint32
}

func newBox(t *testing.T, name string, uid uint32) box {
	t.Helper()
	config, err := images[name].ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	b := box{t, rootfs(t, name), config.Config.WorkingDir, uid}
	b.write("dev/null", "") // every container has it
	if err := os.Chmod(filepath.Join(b.root, "dev/null"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := b.command("/bin/sh", "-c", ":").Run(); errors.Is(err, os.ErrPermission) {
		t.Skip("neither root nor allowed to make a user namespace, so images cannot be run: ", err)
	}
	return b
}

func (b box) write(path, content string) {
	b.t.Helper()
	path = filepath.Join(b.root, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

type outcome struct {
	code int
	text string // stdout and stderr
}

func (b box) run(name string, args ...string) outcome {
	b.t.Helper()
	if !strings.Contains(name, "/") {
		name = "/bin/" + name // the PATH of the image
	}
	out, err := b.command(name, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	if exit != nil {
		return outcome{exit.ExitCode(), string(out)}
	}
	return outcome{0, string(out)}
}

// command runs a program of the image as the user. If the caller is not root, it becomes that user in a user namespace.
func (b box) command(name string, args ...string) *exec.Cmd {
	cmd := &exec.Cmd{Path: name, Args: append([]string{name}, args...), Dir: b.dir, Env: []string{"PATH=/bin"}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: b.root, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: b.uid, Gid: b.uid}
		return cmd
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: int(b.uid), HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: int(b.uid), HostID: os.Getgid(), Size: 1}}
	return cmd
}

// rootfs unpacks an image. Each caller gets one of its own.
func rootfs(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	// Other users need access; the folders above belong to the test.
	for parent := dir; parent != os.TempDir() && parent != "/"; parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	unpackTar(t, mutate.Extract(images[name]), dir)
	return dir
}

func extract(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpackTar(t, f, dir)
}

func unpackTar(t *testing.T, from io.Reader, dir string) {
	t.Helper()
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err == nil {
			err = unpackOne(h, r, filepath.Join(dir, filepath.Clean("/"+h.Name)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func unpackOne(h *tar.Header, r io.Reader, path string) error {
	switch h.Typeflag {
	case tar.TypeSymlink:
		return os.Symlink(h.Linkname, path)
	case tar.TypeDir:
		return errors.Join(os.MkdirAll(path, 0o755), chmod(path, h.Mode))
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, body, 0o644), chmod(path, h.Mode))
}

// chmod sets the sticky bit too, which has another value in Go.
func chmod(path string, mode int64) error { return syscall.Chmod(path, uint32(mode)) }
