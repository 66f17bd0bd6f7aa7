package kubectl

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"k8s.io/client-go/rest"
)

// On a terminal, watch takes the whole screen, shows changes, and leaves the last screen behind.
func TestWatchOnScreen(t *testing.T) {
	t.Parallel()
	s := newScene(t, "screen")
	s.create("train", specOf("", role{name: "ps"}, role{tasks: 3}))
	s.until("train", "running", runs)
	terminal, shown := s.terminal(100, 30)
	cmd := kube.Command(t.Context(), bin+"/kubectl-framework", "watch", "train", "-n", s.namespace)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.Env = append(cmd.Env, "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	require.NoError(t, terminal.Close())
	s.awaitText(shown, "\x1b[?1049h", "Framework screen/train", "AttemptRunning", "worker [\x1b[36m████", "3, Running 3")
	if a := kubectl(t, "scale", "train", "worker=4", "-n", s.namespace); a.code != 0 {
		t.Fatalf("%+v", a)
	}
	s.awaitText(shown, "4, Running 4", "Events:", "Rescaled: role worker: Tasks 3 to 3 added")
	s.patch("train", `{"spec":{"executionType":"Stop"}}`)
	s.awaitText(shown, "Completed", "CutShort 4", "StopFrameworkRequested", "\x1b[?1049l")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %q", err, shown.String())
	}
	for line := range strings.SplitSeq(shown.String(), "\n") {
		if n := len([]rune(strings.TrimSpace(line))); n > 100+200 { // escape codes have no width
			t.Errorf("a line has %d characters: %q", n, line)
		}
	}
}

// With 10,000 Tasks, the screen has all counts, and a mark for the only one that has failed.
func TestWatchManyTasks(t *testing.T) {
	t.Parallel()
	s := newScene(t, "manyonscreen")
	s.create("huge", specOf("managedBy: example.com/test", role{tasks: 10_000})) // so that nobody else writes the status
	s.writeStatus("huge", manyTasks(10_000))
	terminal, shown := s.terminal(100, 30)
	cmd := kube.Command(t.Context(), bin+"/kubectl-framework", "watch", "huge", "-n", s.namespace)
	cmd.Env = append(cmd.Env, "TERM=dumb")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	require.NoError(t, cmd.Start())
	require.NoError(t, terminal.Close())
	s.awaitText(shown, "of 10000 Tasks 9999 running, 0 succeeded, 1 failed", "##x] 10000, Running 9999, Failed 1")
	s.patchStatus("huge", `{"status":{"tasks":{"running":9998}}}`) // changes are shown, too
	s.awaitText(shown, "of 10000 Tasks 9998 running, 0 succeeded, 1 failed")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %q", err, shown.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("watch took %s of the processor, and %d MiB", cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), usage.Maxrss>>10)
}

// Without a terminal, watch prints a line for each change.
func TestWatchInLines(t *testing.T) {
	t.Parallel()
	s := newScene(t, "lines")
	s.create("train", specOf("", role{simulated: []string{"run-for=1s"}}))
	a := kubectl(t, "watch", "train", "-n", s.namespace)
	lines := strings.Split(strings.TrimSpace(a.out), "\n")
	last := lines[len(lines)-1]
	if a.code != 0 || len(lines) < 3 || !strings.HasSuffix(last, "train: Completed, attempt 0: of 1 Task 0 running, 1 succeeded, 0 failed, code 0 Succeeded") {
		t.Errorf("%+v", a)
	}
	if a := kubectl(t, "watch", "nobody", "-n", s.namespace); a.code != 1 || !strings.Contains(a.err, "not found") {
		t.Errorf("%+v", a)
	}
}

// terminal is a terminal of that size, with the text shown on it.
func (s *scene) terminal(columns, rows uint16) (terminal *os.File, shown *lockedBuffer) {
	s.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(s, err)
	s.Cleanup(func() { control.Close() })
	fd := int(control.Fd())
	require.NoError(s, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(s, err)
	require.NoError(s, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(s, err)
	shown = &lockedBuffer{}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := control.Read(buffer)
			shown.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	return terminal, shown
}

// awaitText waits until all texts are shown, in any order.
func (s *scene) awaitText(shown *lockedBuffer, texts ...string) {
	s.Helper()
	s.eventually(50*time.Millisecond, func(context.Context) error {
		for _, text := range texts {
			if !strings.Contains(shown.String(), text) {
				return fmt.Errorf("%q is not in %q", text, shown.String())
			}
		}
		return nil
	})
}

// The screen that is left behind is in testdata.
func TestLastScreen(t *testing.T) {
	t.Parallel()
	s := newScene(t, "lastscreen")
	s.create("oom", specOf("", role{simulated: ends("137", "reason=OOMKilled")}))
	s.until("oom", "completed", completed)
	s.eventsSettle("oom")
	shown := s.onTerminal(kube.Kubeconfig, "watch", "oom", "-n", s.namespace)
	_, last, _ := strings.Cut(strings.ReplaceAll(shown, "\r", ""), "\x1b[?1049l")
	requireGolden(t, "screen.txt", last)
}

// Ctrl-C ends watch while it runs, and also when it waits for the events of its last screen.
func TestWatchIsBrokenOff(t *testing.T) {
	t.Parallel()
	s := newScene(t, "brokenwatch")
	s.create("train", specOf("", role{}))
	s.create("over", specOf("", role{simulated: atOnce}))
	s.until("train", "running", runs)
	s.until("over", "completed", completed)
	asked := make(chan struct{}, 100)
	slow := s.proxy(func(r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/events") {
			return false
		}
		asked <- struct{}{}
		return true
	})
	for _, name := range []string{"train", "over"} {
		terminal, shown := s.terminal(100, 30)
		cmd := kube.Command(t.Context(), bin+"/kubectl-framework", "watch", name, "-n", s.namespace, "--request-timeout=10m")
		cmd.Env = append(cmd.Env, "KUBECONFIG="+slow)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
		require.NoError(t, cmd.Start())
		require.NoError(t, terminal.Close())
		select {
		case <-asked:
		case <-time.After(patience):
			t.Fatalf("it has not asked for events: %q", shown.String())
		}
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v: %q", name, err, shown.String())
		}
		s.awaitText(shown, "\x1b[?1049l")
	}
}

// proxy is an API server that does not answer some requests.
func (s *scene) proxy(ignores func(*http.Request) bool) (kubeconfig string) {
	s.Helper()
	to, err := url.Parse(kube.Config.Host)
	require.NoError(s, err)
	transport, err := rest.TransportFor(kube.Config)
	require.NoError(s, err)
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.Transport = transport
	return apiServer(s.T, func(w http.ResponseWriter, r *http.Request) {
		if ignores(r) {
			<-r.Context().Done()
			return
		}
		pass.ServeHTTP(w, r)
	})
}

// onTerminal runs a command on a terminal to its end, and returns the text shown.
func (s *scene) onTerminal(kubeconfig string, args ...string) string {
	s.Helper()
	terminal, shown := s.terminal(100, 30)
	cmd := kube.Command(s.Context(), bin+"/kubectl-framework", args...)
	cmd.Env = append(cmd.Env, "KUBECONFIG="+kubeconfig, "TERM=dumb")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	require.NoError(s, cmd.Start())
	require.NoError(s, terminal.Close())
	if err := cmd.Wait(); err != nil {
		s.Errorf("%v: %q", err, shown.String())
	}
	s.eventually(50*time.Millisecond, func(context.Context) error { // its last output may not have been read yet
		if _, last, _ := strings.Cut(shown.String(), "\x1b[?1049l"); !strings.Contains(last, "Completed: completed after") {
			return fmt.Errorf("the last screen is not there: %q", last)
		}
		return nil
	})
	return shown.String()
}

// The progress line fits the terminal: a part on the next line would not be overwritten.
func TestProgressFits(t *testing.T) {
	t.Parallel()
	s := newScene(t, "narrow")
	s.create("train", specOf("", role{}))
	s.until("train", "running", runs)
	terminal, shown := s.terminal(40, 10)
	cmd := kube.Command(t.Context(), bin+"/kubectl-framework", "wait", "train", "-n", s.namespace)
	cmd.Stdin, cmd.Stderr = terminal, terminal
	require.NoError(t, cmd.Start())
	require.NoError(t, terminal.Close())
	s.awaitText(shown, "AttemptRunning")
	s.patch("train", `{"spec":{"executionType":"Stop"}}`)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v: %q", err, shown.String())
	}
	s.awaitText(shown, "has not succeeded")
	lines, _, _ := strings.Cut(shown.String(), "error:")
	for _, line := range strings.Split(lines, "\r\x1b[K") {
		if len(line) > 39 {
			t.Errorf("%q is too long", line)
		}
	}
}
