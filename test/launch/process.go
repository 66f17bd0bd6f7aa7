package launch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// Options select the program, its folder and its output.
type Options struct {
	Binary string // path; a relative one counts from the folder of the caller
	Args   []string
	// Env adds to the environment of the caller, and overrides it. Without a KUBECONFIG in it, the cluster's own is used.
	Env []string
	// Dir is the work dir, which is created if missing.
	Dir string
	// Config becomes frameworkcontroller.yaml in the work dir. If it is empty, no such file is written.
	Config string
	// Log is the path of a file to which output is appended. If it is empty, that is controller.log in the work dir.
	Log string
	// Output replaces the file for output. If it is nil, there is a file.
	Output *os.File
	// Attributes are of the process; nil for the usual ones.
	Attributes *syscall.SysProcAttr
}

// Process is one life of a controller.
type Process struct {
	// Log is the path of the file with its output, and with the output of earlier processes; empty if Output was set.
	Log string

	cmd     *exec.Cmd
	begin   int64       // begin of its part of the log
	asked   atomic.Bool // whether it was asked to end
	ended   chan struct{}
	endedAt time.Time
	err     error
	itself  bool // it has ended without being asked
}

// Controller starts a process for a cluster. It ends with the cluster at the latest.
func Controller(c *cluster.Cluster, o Options) (*Process, error) {
	o.Log = cmp.Or(o.Log, filepath.Join(o.Dir, "controller.log"))
	return Program(c, o)
}

// Program starts another program in the same way. Its log is <program>.log in the work dir, unless the options name one.
func Program(c *cluster.Cluster, o Options) (*Process, error) {
	if err := o.prepare(); err != nil {
		return nil, err
	}
	binary, err := filepath.Abs(o.Binary)
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: c.Command(context.Background(), binary, o.Args...), ended: make(chan struct{})}
	out := o.Output
	if out == nil {
		p.Log = cmp.Or(o.Log, filepath.Join(o.Dir, filepath.Base(binary)+".log"))
		if out, err = os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
			return nil, err
		}
		defer out.Close()
		if p.begin, err = out.Seek(0, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	p.cmd.Env = append(p.cmd.Env, o.Env...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr, p.cmd.SysProcAttr = o.Dir, out, out, o.Attributes
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", filepath.Base(binary), err)
	}
	go p.wait()
	return p, nil
}

func (o Options) prepare() error {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil || o.Config == "" {
		return err
	}
	return os.WriteFile(filepath.Join(o.Dir, "frameworkcontroller.yaml"), []byte(o.Config), 0o644)
}

func (p *Process) wait() {
	p.err = p.cmd.Wait()
	p.endedAt, p.itself = time.Now(), !p.asked.Load()
	close(p.ended)
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err waits until the process has ended, and returns nil if that was with code 0.
func (p *Process) Err() error {
	<-p.ended
	return p.err
}

// EndedAt waits until the process has ended, and returns when that was.
func (p *Process) EndedAt() time.Time {
	<-p.ended
	return p.endedAt
}

// EndedByItself waits until the process has ended, and reports whether it ended without being asked to.
func (p *Process) EndedByItself() bool {
	<-p.ended
	return p.itself
}

// ExitCode waits until the process has ended. It is -1 if a signal has ended it.
func (p *Process) ExitCode() int {
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// PID is the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal that does not count as being asked to end. The error is os.ErrProcessDone if it has ended.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// End asks the process to end, by that signal. Nothing happens if it has ended.
func (p *Process) End(s os.Signal) {
	p.asked.Store(true)
	_ = p.cmd.Process.Signal(s)
}

// Kill ends the process without warning, and returns when it has ended.
func (p *Process) Kill() {
	p.End(syscall.SIGKILL)
	<-p.ended
}

// Terminate asks the process to end, and returns how long that took. It is killed if that takes too long, which is an
// error, as is every code but 0.
func (p *Process) Terminate(within time.Duration) (took time.Duration, err error) {
	start := time.Now()
	p.End(syscall.SIGTERM)
	select {
	case <-p.ended:
		return time.Since(start), p.err
	case <-time.After(within):
		p.Kill()
		return within, fmt.Errorf("did not end within %s", within)
	}
}

// Text is the log of the process, or the error of reading it.
func (p *Process) Text() string {
	log, err := os.Open(p.Log)
	if err != nil {
		return err.Error()
	}
	defer log.Close()
	text, err := io.ReadAll(io.NewSectionReader(log, p.begin, 1<<40))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Tail is the end of the whole log, and at most that number of bytes.
func (p *Process) Tail(most int) string {
	text, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}
