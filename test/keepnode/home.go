package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// home is the folder of the node. It is relative, since the path of a socket must not be long.
type home string

func newHome() (home, error) {
	if _, err := os.Stat("deploy/install.yaml"); err != nil {
		return "", fmt.Errorf("the working directory is not the root of a checkout: %w", err)
	}
	return "bin/node", nil
}

func (h home) path(name string) string { return filepath.Join(string(h), name) }
func (h home) kubeconfig() string      { return h.path("kubeconfig") }

// claim makes the folder, and holds it as long as the file is open in any process.
func (h home) claim() (owner *os.File, err error) {
	if err := os.MkdirAll(string(h), 0o755); err != nil {
		return nil, err
	}
	owner, err = os.OpenFile(h.path("owner"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(owner.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner.Close()
		return nil, fmt.Errorf("another process starts the node: %w", err)
	}
	return owner, nil
}

// held reports whether a process holds the folder.
func (h home) held() (bool, error) {
	owner, err := os.Open(h.path("owner"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer owner.Close()
	err = syscall.Flock(int(owner.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// holder is the process that holds the folder, if there is one.
func (h home) holder() (*os.Process, error) {
	text, err := os.ReadFile(h.path("owner"))
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, err
	}
	return os.FindProcess(pid)
}
