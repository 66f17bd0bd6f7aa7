package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// restarted are the components, such as the scheduler, that end when an API server was killed. Their knowledge is uncertain then, and the
// operator of a cluster restarts them.
var restarted = []string{"kube-scheduler", "kube-controller-manager", "kwok-controller"}

// restartComponents starts them again when they have ended, until ctx ends.
func restartComponents(ctx context.Context, clusterDir string, f *figures) error {
	for _, name := range restarted {
		r, err := findComponent(clusterDir, name)
		if err != nil {
			return err
		}
		go r.keep(ctx, f)
	}
	return nil
}

// componentRestarter starts a component as it was started first.
type componentRestarter struct {
	name      string
	pidFile   string
	pid       int
	args, env []string
	dir, log  string
}

func findComponent(clusterDir, name string) (*componentRestarter, error) {
	files, _ := filepath.Glob(filepath.Join(clusterDir, "clusters", "*", "pids", name+".pid"))
	if len(files) != 1 {
		return nil, fmt.Errorf("there are %d processes of %s", len(files), name)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	r := &componentRestarter{name: name, pidFile: files[0]}
	if _, err := fmt.Sscan(string(text), &r.pid); err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	proc := fmt.Sprintf("/proc/%d/", r.pid)
	if r.args, err = readList(proc + "cmdline"); err != nil {
		return nil, err
	}
	if r.env, err = readList(proc + "environ"); err != nil { // contains the cluster's mark
		return nil, err
	}
	if r.dir, err = os.Readlink(proc + "cwd"); err != nil {
		return nil, err
	}
	r.log, err = os.Readlink(proc + "fd/1")
	return r, err
}

func readList(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	return strings.Split(string(bytes.TrimSuffix(text, []byte{0})), "\x00"), err
}

func (r *componentRestarter) keep(ctx context.Context, f *figures) {
	for pause(ctx, 500*time.Millisecond) == nil {
		if r.runs() {
			continue
		}
		cmd := exec.Command(r.args[0], r.args[1:]...)
		cmd.Env, cmd.Dir, cmd.SysProcAttr = r.env, r.dir, &syscall.SysProcAttr{Setpgid: true}
		log, err := os.OpenFile(r.log, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		cmd.Stdout, cmd.Stderr = log, log
		err = cmd.Start()
		log.Close()
		if err != nil {
			continue
		}
		f.count("revived: " + r.name)
		r.pid = cmd.Process.Pid
		go cmd.Wait()
		os.WriteFile(r.pidFile, fmt.Append(nil, r.pid), 0o644)
	}
}

// runs reports whether the process exists, and is still the component: process ids are reused.
func (r *componentRestarter) runs() bool {
	args, err := readList(fmt.Sprintf("/proc/%d/cmdline", r.pid))
	return err == nil && slices.Equal(args, r.args)
}
