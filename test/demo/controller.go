package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// startController starts bin/frameworkcontroller with its output going to log. The channel receives how it ended.
// When ctx is cancelled the controller is asked to end, and killed if it does not within ten seconds.
func startController(ctx context.Context, c *cluster.Cluster, log io.Writer) (<-chan error, error) {
	dir := filepath.Join(c.Dir, "controller")
	if err := writeConfig(dir, c.Kubeconfig); err != nil {
		return nil, err
	}
	binary, err := filepath.Abs("bin/frameworkcontroller")
	if err != nil {
		return nil, err
	}
	cmd := c.Command(ctx, binary)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	// A process group of its own, since Ctrl-C is to reach the controller through us only.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the controller: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return ended, nil
}

// writeConfig writes the frameworkcontroller.yaml that the controller reads in its working directory: the one that we ship.
func writeConfig(dir, kubeconfig string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	shipped, err := os.ReadFile(filepath.Join("example", "config", "default", "frameworkcontroller.yaml"))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s\nkubeConfigFilePath: %s\n", shipped, kubeconfig)
	return os.WriteFile(filepath.Join(dir, "frameworkcontroller.yaml"), []byte(text), 0o644)
}
