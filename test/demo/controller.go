package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// startController starts bin/frameworkcontroller with its output going to log, and with more plugins if they are not empty. The channel receives how it ended.
// When ctx is cancelled the controller is asked to end, and killed if it does not within ten seconds.
func startController(ctx context.Context, c *cluster.Cluster, log *os.File, plugins string) (<-chan error, error) {
	shipped, err := os.ReadFile(filepath.Join("example", "config", "default", "frameworkcontroller.yaml"))
	if err != nil {
		return nil, err
	}
	placing, err := schedulerOf(c)
	if err != nil {
		return nil, err
	}
	config, err := placing.configure(string(shipped))
	if err != nil {
		return nil, err
	}
	if plugins != "" {
		if config, err = launch.WithPlugins(config, plugins); err != nil {
			return nil, err
		}
	}
	p, err := launch.Controller(c, launch.Options{
		Binary: "bin/frameworkcontroller",
		Dir:    filepath.Join(c.Dir, "controller"),
		Config: fmt.Sprintf("%s\nkubeConfigFilePath: %s\n", config, c.Kubeconfig),
		Output: log,
		// A process group of its own, because Ctrl-C should reach the controller through us only.
		Attributes: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM},
	})
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- end(ctx, p) }()
	return ended, nil
}

// end returns how the process has ended: by itself, or because ctx has.
func end(ctx context.Context, p *launch.Process) error {
	select {
	case <-p.Ended():
		return p.Err()
	case <-ctx.Done():
	}
	if _, err := p.Terminate(10 * time.Second); err != nil {
		return err
	}
	return ctx.Err()
}
