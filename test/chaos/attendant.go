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

// attendants are the components that end themselves when what they know is in doubt after an API server was killed, such as
// the scheduler, and that whoever runs a cluster starts again.
var attendants = []string{"kube-scheduler", "kube-controller-manager", "kwok-controller"}

// attend starts them again when they have ended, until ctx ends.
func attend(ctx context.Context, clusterDir string, f *figures) error {
	for _, name := range attendants {
		a, err := findAttendant(clusterDir, name)
		if err != nil {
			return err
		}
		go a.keep(ctx, f)
	}
	return nil
}

// attendant is how a component was started.
type attendant struct {
	name      string
	pidFile   string
	pid       int
	args, env []string
	dir, log  string
}

func findAttendant(clusterDir, name string) (*attendant, error) {
	files, _ := filepath.Glob(filepath.Join(clusterDir, "clusters", "*", "pids", name+".pid"))
	if len(files) != 1 {
		return nil, fmt.Errorf("there are %d processes of %s", len(files), name)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	a := &attendant{name: name, pidFile: files[0]}
	if _, err := fmt.Sscan(string(text), &a.pid); err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	proc := fmt.Sprintf("/proc/%d/", a.pid)
	if a.args, err = readList(proc + "cmdline"); err != nil {
		return nil, err
	}
	if a.env, err = readList(proc + "environ"); err != nil { // with the cluster's mark in it
		return nil, err
	}
	if a.dir, err = os.Readlink(proc + "cwd"); err != nil {
		return nil, err
	}
	a.log, err = os.Readlink(proc + "fd/1")
	return a, err
}

func readList(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	return strings.Split(string(bytes.TrimSuffix(text, []byte{0})), "\x00"), err
}

func (a *attendant) keep(ctx context.Context, f *figures) {
	for pause(ctx, 500*time.Millisecond) == nil {
		if a.runs() {
			continue
		}
		cmd := exec.Command(a.args[0], a.args[1:]...)
		cmd.Env, cmd.Dir, cmd.SysProcAttr = a.env, a.dir, &syscall.SysProcAttr{Setpgid: true}
		log, err := os.OpenFile(a.log, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		cmd.Stdout, cmd.Stderr = log, log
		err = cmd.Start()
		log.Close()
		if err != nil {
			continue
		}
		f.count("revived: " + a.name)
		a.pid = cmd.Process.Pid
		go cmd.Wait()
		os.WriteFile(a.pidFile, fmt.Append(nil, a.pid), 0o644)
	}
}

// runs reports whether the process is there, and is still the component: process ids are used again.
func (a *attendant) runs() bool {
	args, err := readList(fmt.Sprintf("/proc/%d/cmdline", a.pid))
	return err == nil && slices.Equal(args, a.args)
}
