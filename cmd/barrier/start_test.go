package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeBarrier writes its files, unless the environment asks it to end otherwise.
const fakeBarrier = `#!/bin/sh
trap 'echo terminated; exit 143' TERM
echo "in $PWD with $*"
case ${ENDING-} in
[0-9]*) exit "$ENDING" ;;
wait) while :; do sleep 0.05; done ;;
esac
for file in framework.json peers.json hosts hostfile; do echo "content of $file" > $file; done
echo 'echo injected' > injector.sh
chmod 755 injector.sh
`

var files = []string{"framework.json", "peers.json", "hosts", "hostfile", "injector.sh"}

// started is start.sh in a folder as in the image, with a fake barrier beside it.
type started struct {
	dir, output string
	cmd         *exec.Cmd
	told        *strings.Builder
}

// prepare returns start.sh, run by a shell from another folder.
func prepare(t *testing.T, shell []string, env ...string) started {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("start.sh")
	require.NoError(t, err)
	for name, content := range map[string]string{"start.sh": string(text), "frameworkbarrier": fakeBarrier} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755))
	}
	s := started{dir: dir, output: filepath.Join(t.TempDir(), "mnt", "frameworkbarrier"), told: &strings.Builder{}}
	s.cmd = exec.Command(shell[0], append(shell[1:], filepath.Join(dir, "start.sh"), "one", "two words")...)
	s.cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "BARRIER_OUTPUT_DIR="+s.output)
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = "/", s.told, s.told
	s.cmd.WaitDelay = 10 * time.Second // in case a barrier outlives the script and holds its output
	return s
}

func (s started) exitCode() int {
	s.cmd.Run()
	return s.cmd.ProcessState.ExitCode()
}

func eachShell(t *testing.T, test func(t *testing.T, shell []string)) {
	for _, shell := range [][]string{{"sh"}, {"bash"}, {"dash"}, {"busybox", "sh"}} {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skip(err)
			}
			test(t, shell)
		})
	}
}

func TestStartHandsOver(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		s := prepare(t, shell)
		if code := s.exitCode(); code != 0 {
			t.Fatalf("exit code %d: %s", code, s.told)
		}
		if want := "in " + s.dir + " with one two words\n"; s.told.String() != want {
			t.Errorf("told %q, want %q", s.told, want)
		}
		entries, _ := os.ReadDir(s.output)
		if len(entries) != len(files) {
			t.Errorf("handed over %v", entries)
		}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(s.output, name))
			own, _ := os.ReadFile(filepath.Join(s.dir, name))
			if err != nil || string(text) != string(own) {
				t.Errorf("%s has %q (%v), want %q", name, text, err, own)
			}
		}
		if info, err := os.Stat(filepath.Join(s.output, "injector.sh")); err != nil || info.Mode() != 0o755 {
			t.Errorf("injector.sh: %v, %v", info, err)
		}
	})
}

func TestStartPassesOnTheExitCode(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		for _, want := range []int{1, 201, 210} {
			s := prepare(t, shell, "ENDING="+map[int]string{1: "1", 201: "201", 210: "210"}[want])
			if got := s.exitCode(); got != want {
				t.Errorf("exit code %d, want %d: %s", got, want, s.told)
			}
			if entries, _ := os.ReadDir(s.output); len(entries) > 0 {
				t.Errorf("handed over %v", entries)
			}
		}
	})
}

// The barrier gets the signal that ends the Pod, so the Pod does not wait for the end of the grace period.
func TestStartPassesOnTheSignal(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		s := prepare(t, shell, "ENDING=wait")
		started := filepath.Join(t.TempDir(), "out")
		out, err := os.Create(started)
		require.NoError(t, err)
		defer out.Close()
		s.cmd.Stdout = out
		require.NoError(t, s.cmd.Start())
		read := func() string { text, _ := os.ReadFile(started); return string(text) }
		for begin := time.Now(); read() == "" && time.Since(begin) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
		}
		s.cmd.Process.Signal(syscall.SIGTERM)
		begin := time.Now()
		s.cmd.Wait()
		if code := s.cmd.ProcessState.ExitCode(); code != 143 || time.Since(begin) > 5*time.Second {
			t.Errorf("exit code %d after %s: %s", code, time.Since(begin), s.told)
		}
		if !strings.Contains(read(), "terminated") {
			t.Errorf("the barrier told %q", read())
		}
	})
}

// A Pod may be deleted as soon as its container has started. A signal that arrives before the barrier runs is not lost, though the script
// is process 1.
func TestStartPassesOnASignalThatComesEarly(t *testing.T) {
	eachShell(t, func(t *testing.T, shell []string) {
		s := prepare(t, shell, "ENDING=wait")
		early := "#!/bin/sh\nkill -TERM $PPID\nexec " + lookPath(t, "mkdir") + " \"$@\"\n"
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "mkdir"), []byte(early), 0o755))
		s.cmd.Env = append(s.cmd.Env, "PATH="+s.dir+":"+os.Getenv("PATH"))
		s.cmd.SysProcAttr = own(syscall.CLONE_NEWPID)
		trial := exec.Command("true")
		trial.SysProcAttr = own(syscall.CLONE_NEWPID)
		if out, err := trial.CombinedOutput(); err != nil {
			t.Skipf("not allowed to make a process namespace: %v: %s", err, out)
		}
		begin, gone := time.Now(), time.AfterFunc(10*time.Second, func() { s.cmd.Process.Kill() })
		code := s.exitCode()
		if gone.Stop(); code != 143 {
			t.Errorf("exit code %d after %s: %s", code, time.Since(begin), s.told)
		}
	})
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err)
	return path
}

// With a read-only root filesystem, the barrier works in the volume. Some shells believe that such a folder is
// writable, among them the image's shell; no shell can detect a full one before it writes.
func TestStartWhereNothingCanBeWritten(t *testing.T) {
	for name, nothing := range map[string]string{
		"read-only": "mount -n -o remount,ro none",
		"full":      "mount -n -o remount,nr_inodes=3 none", // the mount point, and the existing files
	} {
		t.Run(name, func(t *testing.T) {
			eachShell(t, func(t *testing.T, shell []string) {
				s := prepare(t, shell)
				s.remount(t, nothing)
				if code := s.exitCode(); code != 0 {
					t.Fatalf("exit code %d: %s", code, s.told)
				}
				if want := "in " + s.output + " with one two words\n"; s.told.String() != want {
					t.Errorf("told %q, want %q", s.told, want)
				}
				if entries, _ := os.ReadDir(s.output); len(entries) != len(files) {
					t.Errorf("handed over %v", entries)
				}
			})
		})
	}
}

// remount puts the folder of start.sh on its own filesystem, on which the command has been run. The folder has the same
// mode as the image's.
func (s started) remount(t *testing.T, command string) {
	t.Helper()
	mount := `set -e
dir=$1
shift
mkdir -p "$dir.new"
mount -n -t tmpfs -o mode=1777 none "$dir.new"
cp -p "$dir"/* "$dir.new"
mount -n --move "$dir.new" "$dir"
` + command + ` "$dir"
`
	s.cmd.Args = append([]string{"sh", "-c", mount + `exec "$@"`, "sh", s.dir}, s.cmd.Args...)
	s.cmd.Path = "/bin/sh"
	s.cmd.SysProcAttr = own(syscall.CLONE_NEWNS)
	trial := exec.Command("sh", "-c", mount, "sh", s.dir)
	trial.SysProcAttr = own(syscall.CLONE_NEWNS)
	if out, err := trial.CombinedOutput(); err != nil {
		t.Skipf("not allowed to mount: %v: %s", err, out)
	}
}

// own starts a process with namespaces of its own, such as CLONE_NEWNS for mounts. A user other than root becomes root in
// a user namespace.
func own(namespaces uintptr) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: namespaces &^ syscall.CLONE_NEWNS, Unshareflags: namespaces & syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	return attr
}
