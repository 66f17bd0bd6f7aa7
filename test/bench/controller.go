package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

// controller is the controller's binary, running.
type controller struct {
	config *config.Config
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the process has ended
}

// startController runs it for the cluster. It cancels ctx, which fail belongs to, if the process ends before stop is called.
func (b *bench) startController(configuration *config.Config, fail context.CancelCauseFunc) (*controller, error) {
	dir := filepath.Join(b.cluster.Dir, "controller")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	text := forCluster(configuration, b.cluster.Kubeconfig)
	if err := os.WriteFile(filepath.Join(dir, "frameworkcontroller.yaml"), []byte(text), 0o644); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(b.options.controller)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(b.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &controller{config: configuration, cmd: b.cluster.Command(context.Background(), path), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	// A process group of its own, since Ctrl-C is to reach it through us only.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the controller: %w", err)
	}
	go func() {
		err := p.cmd.Wait()
		close(p.ended)
		fail(fmt.Errorf("the controller has ended (%v); see %s", err, b.log))
	}()
	return p, nil
}

func (p *controller) pid() int { return p.cmd.Process.Pid }

// stop ends the process, by force if it takes long.
func (p *controller) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill()
		<-p.ended
	}
}
