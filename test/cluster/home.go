package cluster

import (
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

//go:embed reap.sh
var reapScript string

// markName is the environment variable that identifies the processes of a cluster; its value is the folder.
const markName = "FRAMEWORKCONTROLLER_TEST_CLUSTER"

// home is the folder of one cluster. Everything that belongs to the cluster is in it, and is removed with it.
type home struct {
	dir    string
	owner  *os.File  // locked while this process owns the cluster; nil if it does not
	reaper *exec.Cmd // waits for that lock
}

// newHome creates a folder that lasts as long as this process, at most. An empty name gets a unique one.
func newHome(parent, name string) (*home, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	// The folder gets its name once it is locked: one that is visible and unlocked is swept.
	hidden, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return nil, err
	}
	owner, err := tryLock(filepath.Join(hidden, "owner"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(hidden))
	}
	if name == "" {
		name = uniqueName()
	}
	h := &home{dir: filepath.Join(parent, name), owner: owner}
	if err := os.Rename(hidden, h.dir); err != nil {
		owner.Close()
		return nil, errors.Join(fmt.Errorf("claiming the cluster name: %w", err), os.RemoveAll(hidden))
	}
	return h, h.startReaper()
}

// uniqueName includes the process id, for people who look into the folder.
func uniqueName() string {
	random := make([]byte, 4)
	rand.Read(random)
	return fmt.Sprintf("test-%d-%s", os.Getpid(), hex.EncodeToString(random))
}

func (h *home) name() string               { return filepath.Base(h.dir) }
func (h *home) path(elem ...string) string { return filepath.Join(append([]string{h.dir}, elem...)...) }
func (h *home) mark() string               { return markName + "=" + h.dir }

// reap returns the command that ends the cluster as soon as nobody holds its lock. It is a session of its own, so that a signal from the
// terminal ends the owner, but not the cleanup.
func (h *home) reap() *exec.Cmd {
	cmd := exec.Command("sh", "-c", reapScript, "reap", h.dir, h.mark())
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func (h *home) startReaper() error {
	h.reaper = h.reap()
	if err := h.reaper.Start(); err != nil {
		return errors.Join(fmt.Errorf("starting what cleans up the cluster: %w", err), os.RemoveAll(h.dir))
	}
	return nil
}

// keep releases the cluster from its owner: it stays when this process ends.
func (h *home) keep() error {
	if err := os.Remove(h.path("owner")); err != nil {
		return err
	}
	h.owner.Close()
	err := h.reaper.Wait()
	h.owner, h.reaper = nil, nil
	return err
}

// remove ends every process of the cluster and removes its folder. It may be called again.
func (h *home) remove() error {
	if h.owner == nil {
		return h.removeUnowned()
	}
	h.owner.Close()
	err := h.reaper.Wait()
	h.owner, h.reaper = nil, nil
	if err != nil {
		return fmt.Errorf("cleaning up %s: %w", h.dir, err)
	}
	return nil
}

func (h *home) removeUnowned() error {
	err := os.WriteFile(h.path("owner"), nil, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := h.reap().Run(); err != nil {
		return fmt.Errorf("cleaning up %s: %w", h.dir, err)
	}
	return nil
}

// Sweep removes the remains of this checkout's clusters whose owner was killed. Start does so, too.
func Sweep() error {
	root, err := findCheckout()
	if err != nil {
		return err
	}
	return sweep(root.clusters())
}

// sweep removes the clusters whose owner ended without a cleanup.
func sweep(parent string) error {
	owners, err := filepath.Glob(filepath.Join(parent, "*", "owner"))
	if err != nil {
		return err
	}
	for _, path := range owners {
		if err := sweepOne(path); err != nil {
			return err
		}
	}
	return nil
}

func sweepOne(owner string) error {
	f, err := os.OpenFile(owner, os.O_RDWR, 0)
	if err != nil {
		return ignoreMissing(err)
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil
	}
	f.Close()
	return (&home{dir: filepath.Dir(owner)}).removeUnowned()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
