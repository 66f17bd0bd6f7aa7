package cluster

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks the file, creating it if needed, until the returned file is closed or this process ends.
// It returns nil without an error while somebody else holds the lock.
func tryLock(path string) (*os.File, error) {
	f, err := lock(path, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return f, err
}

// waitLock is tryLock that waits for its turn.
func waitLock(path string) (*os.File, error) {
	return lock(path, syscall.LOCK_EX)
}

func lock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
	}
}
