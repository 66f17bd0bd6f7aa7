package cluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kill ends a component of the cluster without warning, such as kube-apiserver. The returned function starts it again
// as it was, and may be called once.
func (c *Cluster) Kill(component string) (restart func() error, err error) {
	files, _ := filepath.Glob(filepath.Join(c.Dir, "clusters", "*", "pids", component+".pid"))
	if len(files) != 1 {
		return nil, fmt.Errorf("there are %d processes of %s", len(files), component)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	again, err := sameCommand(pid)
	if err != nil {
		return nil, err
	}
	log, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/2", pid))
	if err != nil {
		return nil, err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return nil, err
	}
	for !hasEnded(pid) {
		time.Sleep(10 * time.Millisecond)
	}
	return func() error { return startAgain(again, log, files[0]) }, nil
}

// sameCommand is the command that a process was started with; the cluster's mark is in its environment.
func sameCommand(pid int) (*exec.Cmd, error) {
	proc := fmt.Sprintf("/proc/%d/", pid)
	args, err := os.ReadFile(proc + "cmdline")
	if err != nil {
		return nil, err
	}
	env, err := os.ReadFile(proc + "environ")
	if err != nil {
		return nil, err
	}
	dir, err := os.Readlink(proc + "cwd")
	if err != nil {
		return nil, err
	}
	argv := split(args)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = split(env), dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, nil
}

func split(list []byte) []string {
	return strings.Split(string(bytes.TrimSuffix(list, []byte{0})), "\x00")
}

// hasEnded reports whether nothing is left of a process but a zombie at most. Its first thread can be one while others still
// hold its files, the port that it listens on among them.
func hasEnded(pid int) bool {
	proc := fmt.Sprintf("/proc/%d/", pid)
	threads, _ := os.ReadDir(proc + "task") // none, if the process is gone
	text, err := os.ReadFile(proc + "stat")
	return len(threads) <= 1 && (err != nil || bytes.Contains(text, []byte(") Z ")))
}

// startAgain appends to the existing log.
func startAgain(cmd *exec.Cmd, log, pidFile string) error {
	out, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // so that a kill leaves no zombie
	return os.WriteFile(pidFile, []byte(strconv.Itoa(cmd.Process.Pid)), 0o644)
}
