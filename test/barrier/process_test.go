package barrier

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a barrier that runs.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	dir   string // its work dir
	ended chan struct{}
	start time.Time
	took  time.Duration
}

// run starts a barrier with this environment only.
func (w *world) run(t *testing.T, env map[string]string) *process {
	t.Helper()
	p := &process{t: t, dir: t.TempDir(), ended: make(chan struct{}), start: time.Now()}
	writeFile(t, p.path("termination-log"), "")
	log, err := os.Create(p.path("log"))
	require.NoError(t, err)
	defer log.Close()
	p.cmd = w.Command(context.Background(), binary)
	mark := p.cmd.Env[len(p.cmd.Env)-1] // ends the process with the cluster
	p.cmd.Env = []string{"BARRIER_TERMINATION_LOG=" + p.path("termination-log"), mark}
	for name, value := range env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = p.dir, log, log
	require.NoError(t, p.cmd.Start())
	go func() {
		p.cmd.Wait()
		p.took = time.Since(p.start)
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("the log of a barrier:\n%s", p.read("log"))
		}
	})
	return p
}

// about is an environment that names the Framework to wait for, and the variables in more.
func about(name string, more map[string]string) map[string]string {
	out := map[string]string{"FC_FRAMEWORK_NAMESPACE": namespace, "FC_FRAMEWORK_NAME": name}
	maps.Copy(out, more)
	return out
}

func (p *process) path(name string) string { return filepath.Join(p.dir, name) }

func (p *process) read(name string) string {
	text, err := os.ReadFile(p.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(text)
}

func (p *process) requireWaiting() {
	p.t.Helper()
	select {
	case <-p.ended:
		p.t.Fatalf("the barrier has ended with %d\n%s", p.cmd.ProcessState.ExitCode(), p.read("log"))
	default:
	}
}

// awaitLog returns once the log has the text.
func (p *process) awaitLog(text string) {
	p.t.Helper()
	for start := time.Now(); !strings.Contains(p.read("log"), text); time.Sleep(20 * time.Millisecond) {
		p.requireWaiting()
		if time.Since(start) > patience {
			p.t.Fatalf("the log does not say %q:\n%s", text, p.read("log"))
		}
	}
}

// requireExit waits for the end.
func (p *process) requireExit(code int) {
	p.t.Helper()
	p.requireExitWithin(patience, code)
}

func (p *process) requireExitWithin(most time.Duration, code int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(most):
		p.t.Fatalf("the barrier does not end:\n%s", p.read("log"))
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("the barrier ended with %d, want %d:\n%s", got, code, p.read("log"))
	}
	if _, err := os.Stat(p.path("injector.sh")); (err == nil) != (code == 0) {
		p.t.Errorf("injector.sh after exit code %d: %v", code, err)
	}
}
