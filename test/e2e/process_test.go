package e2e

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// process is the controller under test: its binary, in a work dir of its own. It is started, ended and started again
// by one goroutine at a time.
type process struct {
	binary string
	dir    string // work dir: the configuration is in it
	log    string // path of the log of all runs

	run   *run
	fault chan struct{} // closed when a run ended by itself
}

// run is one life of the process.
type run struct {
	cmd       *exec.Cmd
	logOffset int64         // where its part of the log begins
	asked     atomic.Bool   // we have ended it
	ended     chan struct{} // closed when it has ended, and err says how
	err       error
}

// newProcess builds the controller and prepares its work dir, both below dir.
func newProcess(ctx context.Context, dir string) (*process, error) {
	p := &process{
		binary: filepath.Join(dir, "frameworkcontroller"),
		dir:    filepath.Join(dir, "controller"),
		log:    cmp.Or(*keepLog, filepath.Join(dir, "controller.log")),
		fault:  make(chan struct{}),
	}
	if err := os.RemoveAll(p.log); err != nil {
		return nil, err
	}
	if err := build(ctx, p.binary, "../../cmd/controller"); err != nil {
		return nil, err
	}
	// The controller looks for bare commands there. The slash makes it a folder.
	if err := build(ctx, filepath.Join(dir, "plugins")+"/", "../../plugins/..."); err != nil {
		return nil, err
	}
	return p, p.writeConfig()
}

func build(ctx context.Context, to, what string) error {
	return clustertest.Build(ctx, to, what, "-race="+race)
}

// conflictDelay is as short as a test can still see it.
const conflictDelay = `
frameworkMinRetryDelaySecForTransientConflictFailed: 2
frameworkMaxRetryDelaySecForTransientConflictFailed: 3
`

// writeConfig writes the configuration that we ship, with a shorter retry delay after conflicts.
func (p *process) writeConfig() error {
	shipped, err := os.ReadFile("../../example/config/default/frameworkcontroller.yaml")
	if err != nil {
		return err
	}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir, "frameworkcontroller.yaml"), append(shipped, conflictDelay...), 0o644)
}

func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	offset, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	r := &run{logOffset: offset, cmd: kube.Command(context.Background(), p.binary, "-v=4"), ended: make(chan struct{})}
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = p.dir, log, log
	if err := r.cmd.Start(); err != nil {
		return fmt.Errorf("starting the controller: %w", err)
	}
	p.run = r
	go p.watch(r)
	return nil
}

func (p *process) watch(r *run) {
	r.err = r.cmd.Wait()
	close(r.ended)
	if !r.asked.Load() {
		close(p.fault)
	}
}

// kill ends the process without warning.
func (p *process) kill() {
	p.end(syscall.SIGKILL)
	<-p.run.ended
}

// terminate asks the process to end, and returns how long that took; the error is nil if it exited with 0.
func (p *process) terminate() (took time.Duration, err error) {
	start := time.Now()
	p.end(syscall.SIGTERM)
	select {
	case <-p.run.ended:
		return time.Since(start), p.run.err
	case <-time.After(patience):
		p.kill()
		return patience, fmt.Errorf("did not end within %s", patience)
	}
}

func (p *process) end(signal os.Signal) {
	p.run.asked.Store(true)
	p.run.cmd.Process.Signal(signal)
}

// restart starts the process again, after kill or terminate.
func (p *process) restart(t *testing.T) {
	t.Helper()
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
}

// down ends the process, does something, and starts it again.
func (p *process) down(t *testing.T, do func()) {
	t.Helper()
	if _, err := p.terminate(); err != nil {
		t.Errorf("the controller ended with %v", err)
	}
	defer p.restart(t)
	do()
}

// logOf returns the last lines of the log that mention a text.
func (p *process) logOf(text string, most int) string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for line := range bytes.Lines(content) {
		if bytes.Contains(line, []byte(text)) {
			lines = append(lines, string(line))
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "")
}
