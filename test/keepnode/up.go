package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

func up(ctx context.Context, h home) error {
	held, err := h.held()
	if err != nil {
		return err
	}
	if held {
		fmt.Println("the node is up already")
		return explainNext(h)
	}
	if err := h.remove(); err != nil { // remains of a killed one
		return err
	}
	holder, err := startHolder(h)
	if err != nil {
		return err
	}
	if err := follow(ctx, h, holder); err != nil {
		return errors.Join(err, h.end(), h.remove())
	}
	return explainNext(h)
}

// startHolder starts the process that stays. It is a session of its own, so that a signal from the terminal does not end it. It and its
// children inherit the claim, so that the claim lasts until all of them have ended.
func startHolder(h home) (ended <-chan error, err error) {
	owner, err := h.claim()
	if err != nil {
		return nil, err
	}
	defer owner.Close()
	log, err := os.Create(h.path("log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command("/proc/self/exe", "hold")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{owner}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(owner, cmd.Process.Pid); err != nil {
		return nil, err
	}
	result := make(chan error, 1)
	go func() { result <- cmd.Wait() }()
	return result, nil
}

// follow shows the output of the holder until the node can be used.
func follow(ctx context.Context, h home, holder <-chan error) error {
	log, err := os.Open(h.path("log"))
	if err != nil {
		return err
	}
	defer log.Close()
	for {
		if _, err := io.Copy(os.Stdout, log); err != nil {
			return err
		}
		if _, err := os.Stat(h.kubeconfig()); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-holder:
			_, copied := io.Copy(os.Stdout, log)
			return errors.Join(fmt.Errorf("the node has not come up: %v", err), copied)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func explainNext(h home) error {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return err
	}
	kubeconfig, err := filepath.Abs(h.kubeconfig())
	if err != nil {
		return err
	}
	fmt.Printf(`
Try it:
  export KUBECONFIG=%s PATH=%s:%s:$PATH
  kubectl apply -f example/framework/batchsucceeded.yaml
  kubectl get fw -w
  kubectl framework explain batchsucceeded

It reaches no registry. There are the image of the barrier, and busybox:1.37, as most examples want it. For others:
make node-load IMAGE=FILE, with a FILE of docker save, podman save or skopeo copy. A Pod looks for an image without a tag,
or with the tag latest, in a registry all the same, unless it says imagePullPolicy: IfNotPresent.
Remove it with: make node-down
`, kubeconfig, bin, filepath.Join(bin, "tools"))
	return nil
}
