package main

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// controller is the controller's binary, running.
type controller struct {
	config  *config.Config
	process *launch.Process
}

// startController runs it for the cluster. It cancels ctx, which fail belongs to, if the process ends before stop is called.
func (b *bench) startController(configuration *config.Config, fail context.CancelCauseFunc) (*controller, error) {
	text, err := forCluster(configuration, b.cluster.Kubeconfig)
	if err != nil {
		return nil, err
	}
	process, err := launch.Controller(b.cluster, launch.Options{
		Binary: b.options.controller,
		Dir:    filepath.Join(b.cluster.Dir, "controller"),
		Config: text,
		Log:    b.log,
		// A process group of its own, because Ctrl-C should reach it through us only.
		Attributes: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return nil, err
	}
	go func() { fail(fmt.Errorf("the controller has ended (%v); see %s", process.Err(), b.log)) }()
	return &controller{configuration, process}, nil
}

func (p *controller) pid() int { return p.process.PID() }

// stop ends the process, by force if it takes long.
func (p *controller) stop() { _, _ = p.process.Terminate(10 * time.Second) }
