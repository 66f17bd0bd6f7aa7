package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is a program that runs until it is killed.
type process struct {
	name string
	log  string // file that its output is added to
	new  func() *exec.Cmd

	cmd   *exec.Cmd
	ended chan struct{}
}

func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd, p.ended = p.new(), make(chan struct{})
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		cmd.Wait()
		close(ended)
	}(p.cmd, p.ended)
	return nil
}

// kill ends the process without warning.
func (p *process) kill() error {
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	<-p.ended
	return nil
}

// until returns once the condition holds. It gives up when the process has ended.
func (p *process) until(ctx context.Context, condition func() bool) error {
	for !condition() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", p.name, context.Cause(ctx), p.logTail())
		case <-p.ended:
			return fmt.Errorf("%s has ended: %s\n%s", p.name, p.cmd.ProcessState, p.logTail())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// logTail is the end of the log.
func (p *process) logTail() string {
	const most = 6000
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("--- end of the log of %s\n%s", p.name, text[max(0, len(text)-most):])
}
